import { createHash, randomUUID } from 'node:crypto'
import os from 'node:os'
import type { ResolvedOptions } from '../config/resolve-options'
import type { ExecutionFacts } from '../model/suite'
import type { CiFacts } from './ci'

const EXECUTION_VARIABLES = [
  'node',
  'os',
  'ci',
  'ci_build_url',
  'ci_job',
  'ci_actor',
  'git_branch',
  'git_commit',
  'pull_request',
  'shard',
  'group',
] as const

/** What a run's package is called (`run-context.ts`). */
const PACKAGE_VARIABLES = ['package', 'package_version'] as const

/** Report variables of one run (`map-run.ts`). */
export const RUN_VARIABLES = [
  'framework',
  'framework_version',
  'project',
  'file',
  'tests_passed',
  'tests_failed',
  'tests_skipped',
  'tests_flaky',
  'retries',
  'submission_id',
] as const

/** Report variables that tests cannot replace, also where they are unknown. */
export const RUNLEDGER_VARIABLES: readonly string[] = [
  ...EXECUTION_VARIABLES,
  ...PACKAGE_VARIABLES,
  ...RUN_VARIABLES,
]

/** The report variables that all runs of an execution share; the user's own cannot replace Runledger's. */
export function mapExecutionVariables(
  facts: ExecutionFacts,
  { options, ci, group }: { options: ResolvedOptions; ci: CiFacts; group: string },
): Record<string, string | undefined> {
  const own = Object.entries(options.reportVariables).map(([name, value]) => [name, String(value)])
  const ours: Record<(typeof EXECUTION_VARIABLES)[number], string | undefined> = {
    node: process.version,
    os: `${os.platform()} ${os.release()} ${os.arch()}`,
    ci: ci.ci,
    ci_build_url: ci.buildUrl,
    ci_job: ci.job,
    ci_actor: ci.actor,
    git_branch: ci.branch,
    git_commit: ci.commit,
    pull_request: ci.pullRequest,
    shard: facts.shard,
    group,
  }
  return { ...(Object.fromEntries(own) as Record<string, string>), ...ours }
}

/** The group of an execution: the option, else the CI build (the same in every shard and framework), else a new one. */
export function deriveGroup(option: string | undefined, { buildId }: CiFacts): string {
  if (option !== undefined) return option
  if (buildId === undefined) return randomUUID()
  return `ci-${createHash('sha256').update(buildId).digest('hex').slice(0, 24)}`
}
