import { createHash, randomUUID } from 'node:crypto'
import os from 'node:os'
import { COUNT_VARIABLES, MAX_SHORT_LENGTH, shortenText, toStorableText } from '@runledger/protocol'
import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import type { ExecutionFacts } from '../model/suite'
import type { CiFacts } from './ci'
import type { RepositoryFacts } from './repository'

interface Surroundings {
  ci: CiFacts
  repository: RepositoryFacts
  shard: string | undefined
  group: string | undefined
  isImported: boolean
  failedRerun: string | undefined
}

const EXECUTION_VARIABLES: Record<string, (known: Surroundings) => string | undefined> = {
  // Imported results may come from another machine and language.
  node: ({ isImported }) => (isImported ? undefined : process.version),
  os: ({ isImported }) => (isImported ? undefined : `${os.platform()} ${os.release()} ${os.arch()}`),
  ci: ({ ci }) => ci.ci,
  ci_build_url: ({ ci }) => ci.buildUrl,
  ci_job: ({ ci }) => ci.job,
  ci_actor: ({ ci }) => ci.actor,
  ci_rerun: ({ ci }) => ci.rerun,
  git_branch: ({ ci }) => ci.branch,
  git_commit: ({ ci }) => ci.commit,
  git_commit_subject: ({ repository }) => repository.commitSubject,
  git_author: ({ repository }) => repository.commitAuthor,
  git_default_branch: ({ repository }) => repository.defaultBranch,
  git_merge_base: ({ repository }) => repository.mergeBase,
  repository: ({ repository }) => repository.address,
  pull_request: ({ ci }) => ci.pullRequest,
  shard: ({ shard }) => shard,
  shard_index: ({ shard }) => shard?.split('/')[0],
  shard_total: ({ shard }) => shard?.split('/')[1],
  group: ({ group }) => group,
  failed_rerun: ({ failedRerun }) => failedRerun,
}

/** `runledger run --failed` sets it to find the runs of its execution. */
export const FAILED_RERUN = 'RUNLEDGER_FAILED_RERUN'

export const RUN_VARIABLES = [
  'framework',
  'framework_version',
  'project',
  'file',
  ...Object.values(COUNT_VARIABLES),
  'retries',
  'submission_id',
] as const

/** Variables that tests cannot replace, even if they are unknown. */
export const RUNLEDGER_VARIABLES: readonly string[] = [
  ...Object.keys(EXECUTION_VARIABLES),
  // Set in `run-context.ts`.
  'package',
  'package_version',
  'file_in_repository',
  ...RUN_VARIABLES,
]

/** The variables that all runs of an execution share; a user's variable cannot replace one of ours. */
export function mapExecutionVariables(
  facts: ExecutionFacts,
  {
    options,
    env,
    ...known
  }: { options: ResolvedOptions; env: Environment } & Pick<Surroundings, 'ci' | 'repository' | 'group'>,
): Record<string, string | undefined> {
  const own = Object.entries(options.reportVariables).map(([name, value]) => [name, String(value)])
  // A JavaScript reporter may pass a number.
  const shard = facts.shard === undefined ? options.shard : String(facts.shard)
  const failedRerun = env[FAILED_RERUN]?.trim() || undefined
  const all = { ...known, shard, isImported: facts.isImported === true, failedRerun }
  const ours = Object.entries(EXECUTION_VARIABLES).map(([name, read]) => [name, read(all)])
  return Object.fromEntries([...own, ...ours]) as Record<string, string | undefined>
}

/** The group that all executions here share; undefined if neither the option nor a CI build is known. */
export function findGroup(option: string | undefined, facts: CiFacts): string | undefined {
  return option === undefined && facts.buildId === undefined ? undefined : deriveGroup(option, facts)
}

/** The option, else the CI build (shared by shards and frameworks), else a new id; cut to what filters accept. */
export function deriveGroup(option: string | undefined, { buildId }: CiFacts): string {
  if (option !== undefined) return shortenText(toStorableText(option), MAX_SHORT_LENGTH)
  if (buildId === undefined) return randomUUID()
  return `ci-${createHash('sha256').update(buildId).digest('hex').slice(0, 24)}`
}
