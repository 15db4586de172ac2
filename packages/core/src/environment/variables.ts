import os from 'node:os'
import type { ExecutionFacts } from '../execution'
import type { ResolvedOptions } from '../config/resolve-options'
import type { Surroundings } from './ci'

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

/** What a run's package is called (`record-builder.ts`). */
const PACKAGE_VARIABLES = ['package', 'package_version'] as const

/** Report variables of one run (`map-suite.ts`). */
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

/** Report variables that tests cannot replace, known or not. */
export const RUNLEDGER_VARIABLES: readonly string[] = [
  ...EXECUTION_VARIABLES,
  ...PACKAGE_VARIABLES,
  ...RUN_VARIABLES,
]

export type PackageVariables = Partial<Record<(typeof PACKAGE_VARIABLES)[number], string | undefined>>

/** The report variables that all runs of an execution share; the user's own cannot replace Runledger's. */
export function mapExecutionVariables(
  facts: ExecutionFacts,
  { options, surroundings, group }: { options: ResolvedOptions; surroundings: Surroundings; group: string },
): Record<string, string | undefined> {
  const own = Object.entries(options.reportVariables).map(([name, value]) => [name, String(value)])
  const ours: Record<(typeof EXECUTION_VARIABLES)[number], string | undefined> = {
    node: process.version,
    os: `${os.platform()} ${os.release()} ${os.arch()}`,
    ci: surroundings.ci,
    ci_build_url: surroundings.buildUrl,
    ci_job: surroundings.job,
    ci_actor: surroundings.actor,
    git_branch: surroundings.branch,
    git_commit: surroundings.commit,
    pull_request: surroundings.pullRequest,
    shard: facts.shard,
    group,
  }
  return { ...(Object.fromEntries(own) as Record<string, string>), ...ours }
}
