import type { Phase } from '@runledger/protocol'

export interface WorkerTest {
  index: number
  name: string
  /** From 1; undefined for a single attempt. */
  attempt: number | undefined
  outcome: Phase['outcome']
  startedAt: string
  duration: string
}

/** The tests of each worker in order, by the worker's number. */
export function groupByWorker(phases: readonly Phase[]): Map<number, WorkerTest[]> {
  const workers = new Map<number, WorkerTest[]>()
  phases.forEach((phase, index) => {
    for (const { worker, test } of listAttempts(phase, index)) {
      if (worker === undefined) continue
      const tests = workers.get(worker) ?? []
      tests.push(test)
      workers.set(worker, tests)
    }
  })
  for (const tests of workers.values())
    tests.sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt) || a.index - b.index)
  return workers
}

function listAttempts(phase: Phase, index: number): { worker: number | undefined; test: WorkerTest }[] {
  const { kind = 'test', name, attempts = [], more_attempts: left = 0 } = phase
  if (kind !== 'test') return []
  const told = attempts.length > 0 ? attempts : [phase]
  const last = told.length - 1
  return told.map(({ worker, outcome, started_at: startedAt, duration }, at) => {
    const number = at === last ? at + 1 + left : at + 1
    const attempt = last + left > 0 ? number : undefined
    const test = { index, name, attempt, outcome, startedAt, duration }
    return { worker: at === last ? (worker ?? phase.worker) : worker, test }
  })
}
