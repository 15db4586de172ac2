import { formatTimestampUs } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { groupBy } from '../../../storage/database/rows'
import { type Execution, isPending, type Missing, type Shard } from './rules'

const MAX_NAMED_SHARDS = 20
const MAX_NAMED_EXECUTIONS = 20

export function describeMissing(missing: Missing, frameworks: number): string[] {
  const { shards, unended, undelivered } = missing
  if (missing.hasNoRuns && !isPending(missing) && undelivered.length === 0) return ['no run is on record']
  const sets = groupBy(shards, ({ framework, total }) => `${framework} ${total}`)
  return [
    ...limitClauses(
      [...sets.values()].map((set) => describeShards(set, frameworks > 1)),
      'of shards have not reported',
      'more set',
    ),
    ...limitClauses(
      unended.map((one) => `${describeExecution(one)} has not ended`),
      'have not ended',
    ),
    ...limitClauses(undelivered.map(describeUndelivered), 'have runs that are not on record'),
  ]
}

function describeShards(set: readonly Shard[], namesFramework: boolean): string {
  const [first] = set
  const numbers = set.slice(0, MAX_NAMED_SHARDS).map(({ index }) => String(index))
  const left = set.length - numbers.length
  const names = left > 0 ? [...numbers, `${left} more`] : numbers
  const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join()
  const noun = set.length > 1 ? 'shards' : 'shard'
  const framework = namesFramework && first?.framework ? `${first.framework} ` : ''
  return `${framework}${noun} ${listed} of ${first?.total} ${set.length > 1 ? 'have' : 'has'} not reported`
}

function describeUndelivered(execution: Execution): string {
  const { missingRuns } = execution
  return `${formatCount(missingRuns, 'run')} of ${describeExecution(execution)} ${missingRuns === 1 ? 'is' : 'are'} not on record`
}

/** `an execution (vitest, shard 3 of 4) that began 2026-11-28 10:02 UTC on ci-7` */
function describeExecution({ framework, shard, host, startedAtUs }: Execution): string {
  const facts = [framework ?? '', shard ? `shard ${shard.index} of ${shard.total}` : ''].filter(Boolean)
  const began = formatTimestampUs(startedAtUs).slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')
  return `an execution${facts.length > 0 ? ` (${facts.join(', ')})` : ''} that began ${began} UTC${host ? ` on ${host}` : ''}`
}

function limitClauses(clauses: string[], what: string, noun = 'more execution'): string[] {
  const left = clauses.length - MAX_NAMED_EXECUTIONS
  if (left <= 0) return clauses
  return [...clauses.slice(0, MAX_NAMED_EXECUTIONS), `${formatCount(left, noun)} ${what}`]
}
