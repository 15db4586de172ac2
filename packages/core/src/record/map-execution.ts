import { cutWell, type PutExecutionInput } from '@runledger/protocol'
import os from 'node:os'
import type { ExecutionFacts } from '../model/suite'

/** An execution of a CI, as far as it is known before the first test. */
export interface CiExecution {
  facts: ExecutionFacts
  procedureId: string
  /** Report variables of all its runs. */
  variables: Record<string, string | undefined>
  /** Higher for a later attempt at the same job of the CI. */
  attempt: number
}

type Mask = (variables: Record<string, string | undefined>) => Record<string, string | undefined>

/** The notice that an execution has begun; secrets are masked. */
export function mapExecution({ facts, attempt, ...known }: CiExecution, mask: Mask): PutExecutionInput {
  const { group = '', ...variables } = mask({ ...known.variables, host: os.hostname() })
  const [major] = process.versions.node.split('.', 1)
  const [index, total] = String(facts.shard ?? '').split('/')
  const short = (name: string) => cutWell(variables[name] ?? '', MAX_LENGTH) || undefined
  return {
    procedure_id: known.procedureId,
    group,
    started_at: new Date(facts.startedAtMs).toISOString(),
    framework: facts.framework,
    host: short('host'),
    ...(Number(total) > 0 && { shard_index: Number(index), shard_total: Number(total) }),
    environment: `${os.platform()} node ${major}`,
    ci_job: short('ci_job'),
    ci_attempt: attempt,
    ci_build_url: variables['ci_build_url'],
    git_branch: short('git_branch'),
    git_commit: short('git_commit'),
    repository: variables['repository'],
  }
}

/** Longest text in the request, for most of them. */
const MAX_LENGTH = 255
