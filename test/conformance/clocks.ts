import { parseDurationUs, type RunDetail } from '@runledger/protocol'
import { expect } from 'vitest'
import type { Observation } from './behaviour'

// Frameworks keep times in whole or fractional milliseconds, and some count them from the start of the process.
const TOLERANCE_MS = 20

/** A run's or step's time, in milliseconds since the Unix epoch and as a length. */
export interface Span {
  name: string
  startedAtMs: number
  durationMs: number
}

function readSpan(
  name: string,
  { started_at: start, duration }: { started_at: string; duration: string },
): Span {
  const durationUs = parseDurationUs(duration)
  if (durationUs === undefined) throw new Error(`not a duration: ${duration}`)
  return { name, startedAtMs: Date.parse(start), durationMs: durationUs / 1000 }
}

/** The span of the only step of this name. */
export function readStepSpan(run: RunDetail | undefined, name: string): Span {
  const step = run?.phases.find((phase) => phase.name === name)
  if (!step) throw new Error(`no step "${name}"`)
  return readSpan(name, step)
}

/** Every run lies inside its execution's span, and every step inside its run's, whatever tests do to clocks. */
export function checkClocks({ runs, span }: Observation): void {
  for (const run of runs) {
    const ofRun = readSpan(`run of ${String(run.metadata['file'])}`, run)
    expectInside(ofRun, span)
    for (const step of run.phases) expectInside(readSpan(step.name, step), ofRun)
  }
}

function expectInside(inner: Span, outer: Span): void {
  const place = `${inner.name} inside ${outer.name}`
  expect(inner.durationMs, place).toBeGreaterThanOrEqual(0)
  expect(inner.startedAtMs, place).toBeGreaterThanOrEqual(outer.startedAtMs - TOLERANCE_MS)
  const endMs = outer.startedAtMs + outer.durationMs + TOLERANCE_MS
  expect(inner.startedAtMs + inner.durationMs, place).toBeLessThanOrEqual(endMs)
}
