import type { RunListItem } from '@runledger/protocol'
import { readVariable } from '../ask/runs'

/**
 * Finds failed runs of a CI job that was run again. The runs of the later attempt (`ci_rerun`) replace them. If the later attempt has
 * fewer runs of a file, it replaces none of them, because jobs may differ in facts that are not on record, such as a database.
 */
export function findReplaced(runs: readonly RunListItem[]): Set<string> {
  const places = new Map<string, Map<number, RunListItem[]>>()
  for (const run of runs) {
    const attempt = readAttempt(run)
    // `runledger run --failed` runs only a part of the tests.
    if (attempt === undefined || readVariable(run, 'failed_rerun') !== undefined) continue
    const place = describePlace(run)
    const attempts = places.get(place) ?? new Map<number, RunListItem[]>()
    places.set(place, attempts.set(attempt, [...(attempts.get(attempt) ?? []), run]))
  }
  return new Set([...places.values()].flatMap(listReplaced).map(({ id }) => id))
}

/** Undefined if the attempt is not a number. Such a run replaces no other run, and no other run replaces it. */
function readAttempt(run: RunListItem): number | undefined {
  const text = readVariable(run, 'ci_rerun') ?? '0'
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function listReplaced(attempts: ReadonlyMap<number, readonly RunListItem[]>): RunListItem[] {
  const last = Math.max(...attempts.keys())
  const earlier = [...attempts].filter(([attempt]) => attempt !== last).map(([, runs]) => runs)
  const count = attempts.get(last)?.length ?? 0
  return earlier.every((runs) => runs.length <= count) ? earlier.flat() : []
}

const VARIABLES = ['package', 'project', 'file', 'framework', 'shard', 'ci_job'] as const

/** The variables that are the same in all shards of a job. */
export const SHARDED = VARIABLES.filter((name) => name !== 'shard')

/** The facts that a later attempt shares with the one that it replaces. */
export function describePlace(run: RunListItem, variables: readonly string[] = VARIABLES): string {
  return JSON.stringify([
    run.procedure.id,
    run.unit.serial_number,
    ...variables.map((name) => readVariable(run, name)),
    ...environmentOf(run),
  ])
}

/** The facts about the operating system and Node that machines of one kind share. */
export function environmentOf(run: Pick<RunListItem, 'metadata'>): (string | undefined)[] {
  return [readVariable(run, 'os')?.split(' ', 1)[0], readVariable(run, 'node')?.split('.', 1)[0]]
}
