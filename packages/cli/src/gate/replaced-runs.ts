import { EXECUTION_FILE } from '@runledger/core/tools'
import type { RunListItem } from '@runledger/protocol'
import { readVariable } from '../ask/runs'

/**
 * Finds failed runs of a CI job that was run again. The runs of the later attempt (`ci_rerun`) replace them. If the later attempt has
 * fewer runs of a file, it replaces none of them, because jobs may differ in facts that are not on record, such as a database.
 * An error of the whole execution, such as one of its set-up, is replaced if all other runs of its attempt are.
 */
export function findReplaced(runs: readonly RunListItem[]): Set<string> {
  // `runledger run --failed` runs only a part of the tests.
  const whole = runs.filter((run) => readVariable(run, 'failed_rerun') === undefined)
  const files = [...groupByAttempt(whole, VARIABLES).values()].flatMap(listReplaced)
  const replaced = new Set(files.map(({ id }) => id))
  for (const attempts of groupByAttempt(whole, WITHOUT_FILE).values()) {
    const last = Math.max(...attempts.keys())
    for (const [attempt, ofJob] of attempts) {
      const others = ofJob.filter((run) => !isOfExecution(run))
      if (attempt === last || !others.every(({ id }) => replaced.has(id))) continue
      for (const run of ofJob) replaced.add(run.id)
    }
  }
  return replaced
}

/** The runs of each attempt at each place, without those whose attempt is not a number: they neither replace nor are replaced. */
function groupByAttempt(
  runs: readonly RunListItem[],
  variables: readonly string[],
): Map<string, Map<number, RunListItem[]>> {
  const places = new Map<string, Map<number, RunListItem[]>>()
  for (const run of runs) {
    const text = readVariable(run, 'ci_rerun') ?? '0'
    if (!/^\d{1,15}$/.test(text)) continue
    const place = describePlace(run, variables)
    const attempts = places.get(place) ?? new Map<number, RunListItem[]>()
    places.set(place, attempts.set(Number(text), [...(attempts.get(Number(text)) ?? []), run]))
  }
  return places
}

function listReplaced(attempts: ReadonlyMap<number, readonly RunListItem[]>): RunListItem[] {
  const last = Math.max(...attempts.keys())
  const earlier = [...attempts].filter(([attempt]) => attempt !== last).map(([, runs]) => runs)
  const count = attempts.get(last)?.length ?? 0
  return earlier.every((runs) => runs.length <= count) ? earlier.flat() : []
}

function isOfExecution(run: RunListItem): boolean {
  return readVariable(run, 'file') === EXECUTION_FILE
}

const VARIABLES = ['package', 'project', 'file', 'framework', 'shard', 'ci_job'] as const

const WITHOUT_FILE = VARIABLES.filter((name) => !['file', 'project'].includes(name))

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
