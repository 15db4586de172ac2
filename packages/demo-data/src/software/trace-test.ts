import { formatDurationMs, formatTimestampMs } from '@runledger/protocol'
import type { RunRequest } from '../build'
import type { TracedAction } from '../files/trace'
import { BETWEEN_ATTEMPTS_MS, type ExecutedTest, mapError, type TestContext } from './map-test'

type Step = NonNullable<RunRequest['steps']>[number]

/** Share of the attempt's duration that each action before the last one takes. */
const SHARES = [0.18, 0.09, 0.12]

/** The browser's actions in the last attempt of a failed test. The last action is the one that failed. */
export function listActions({ test, decision, durationsMs }: ExecutedTest, file: string): TracedAction[] {
  const durationMs = durationsMs.at(-1) ?? 0
  const titles = [
    `Navigate to "/${nameOfPage(file)}"`,
    "Click getByRole('button', { name: 'Continue' })",
    `Fill "ada" getByLabel('Name')`,
  ]
  const before = titles.map((title, index) => ({
    title,
    durationMs: Math.round((SHARES[index] ?? 0) * durationMs),
  }))
  const leftMs = durationMs - before.reduce((sum, action) => sum + action.durationMs, 0)
  if (!decision) return before
  const { message, code } = decision.failure
  const matcher = /\.(to\w+)\(/.exec(code)?.[1]
  const title = matcher ? `Expect "${matcher}"` : code.replace(/^await /, '')
  return [...before, { title, durationMs: leftMs, error: `${test.name}: ${message}` }]
}

export function nameOfPage(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/\..*$/, '')
}

/** Start of the last attempt. */
export function findLastStart({ startedAtMs, durationsMs }: ExecutedTest): number {
  return durationsMs.slice(0, -1).reduce((atMs, each) => atMs + each + BETWEEN_ATTEMPTS_MS, startedAtMs)
}

/** The steps of a failed Playwright test, as the reporter sends them. */
export function mapActions(executed: ExecutedTest, { file }: TestContext, parent: number): Step[] {
  const { test, decision } = executed
  let atMs = findLastStart(executed)
  return listActions(executed, file).map(({ title, durationMs, error }) => {
    const step: Step = {
      name: `${test.name} › ${title}`,
      step_passed: error === undefined,
      started_at: formatTimestampMs(atMs),
      duration: formatDurationMs(durationMs),
      kind: 'step',
      parent,
      ...(error !== undefined &&
        decision && { error: mapError(decision.failure, { file, line: test.spec.line }) }),
    }
    atMs += durationMs
    return step
  })
}
