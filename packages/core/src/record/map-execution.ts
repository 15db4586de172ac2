import {
  cutWell,
  MAX_ADDRESS_LENGTH,
  MAX_SHORT_LENGTH,
  type PutExecutionInput,
  toStorableText,
} from '@runledger/protocol'
import os from 'node:os'
import type { ExecutionFacts } from '../model/suite'

export interface CiExecution {
  facts: ExecutionFacts
  procedureId: string
  variables: Record<string, string | undefined>
  /** Higher for a later attempt at the same CI job. */
  attempt: number
}

type Mask = (variables: Record<string, string | undefined>) => Record<string, string | undefined>

/** The notice that an execution has begun; secrets are masked. */
export function mapExecution({ facts, attempt, ...known }: CiExecution, mask: Mask): PutExecutionInput {
  const variables = mask({ ...known.variables, host: os.hostname() })
  const [major] = process.versions.node.split('.', 1)
  const [index, total] = String(facts.shard ?? '').split('/')
  const text = (name: string) => toStorableText(variables[name] ?? '')
  const short = (name: string) => cutWell(text(name), MAX_SHORT_LENGTH) || undefined
  // A shortened address would lead elsewhere.
  const address = (name: string) =>
    text(name).length > MAX_ADDRESS_LENGTH ? undefined : text(name) || undefined
  return {
    procedure_id: known.procedureId,
    group: text('group'),
    started_at: new Date(facts.startedAtMs).toISOString(),
    framework: cutWell(toStorableText(facts.framework), MAX_SHORT_LENGTH),
    host: short('host'),
    ...(Number(total) > 0 && { shard_index: Number(index), shard_total: Number(total) }),
    environment: `${os.platform()} node ${major}`,
    ci_job: short('ci_job'),
    ci_attempt: attempt,
    ci_build_url: address('ci_build_url'),
    git_branch: short('git_branch'),
    git_commit: short('git_commit'),
    repository: address('repository'),
  }
}
