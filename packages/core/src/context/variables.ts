import os from 'node:os'
import type { ExecutionFacts } from '../execution'
import type { ResolvedOptions } from '../options/resolve-options'
import type { Surroundings } from './ci'

/** The report variables that all runs of an execution share; the user's own cannot replace Runledger's. */
export function mapExecutionVariables(
  facts: ExecutionFacts,
  { options, surroundings, group }: { options: ResolvedOptions; surroundings: Surroundings; group: string },
): Record<string, string | undefined> {
  const own = Object.entries(options.reportVariables).map(([name, value]) => [name, String(value)])
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
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
}
