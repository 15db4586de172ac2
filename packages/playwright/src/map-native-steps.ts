import type { StepEvent, TestApiEvent } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { readSteps } from './read-result'
import { addReason, StepReader, type ListedStep, type StepContext } from './read-native-steps'

/** Which of Playwright's own steps of an attempt go on record. */
export interface StepPlan extends StepContext {
  /** Levels of steps within one another; 0 for none but those of our `step`. */
  depth: number
}

/** Levels of a failed test's steps that are told without being asked for, and how many of one attempt. */
export const DETAIL_DEPTH = 3
const MAX_DETAILS = 200

/**
 * Adds Playwright's own steps, down to a depth, to the events of an attempt, sorted by time. A call of our `step` is also
 * one of Playwright's: only its event is kept, with the error and the place that Playwright tells.
 */
export function addNativeSteps(
  events: readonly TestApiEvent[],
  result: TestResult,
  plan: StepPlan,
): TestApiEvent[] {
  if (plan.depth === 0 && events.every(({ kind }) => kind !== 'step')) return [...events]
  const twins = pairByName(events, listTestSteps(readSteps(result)))
  if (plan.depth === 0) {
    const natives = new Map([...twins].map(([native, event]) => [event as TestApiEvent, native]))
    return events.map((event) => addReason(event, natives.get(event), plan))
  }
  const listed = new StepReader(plan, twins).list(readSteps(result))
  const { kept, left } = limitDetails(listed)
  const taken = new Set<TestApiEvent>(twins.values())
  const others = events.filter((event) => !taken.has(event)).toSorted((a, b) => a.order - b.order)
  return mergeByTime(kept, left === 0 ? others : [tellLeft(left, plan), ...others])
}

/** All steps of `test.step`, each before those inside of it. */
function listTestSteps(steps: readonly TestStep[]): TestStep[] {
  return steps.flatMap((step) => [
    ...(step.category === 'test.step' ? [step] : []),
    ...listTestSteps(readSteps(step)),
  ])
}

/** Pairs each of our steps, in the order of their calls, with the next of Playwright's that has its name. */
function pairByName(events: readonly TestApiEvent[], natives: readonly TestStep[]): Map<TestStep, StepEvent> {
  const free = [...natives]
  const twins = new Map<TestStep, StepEvent>()
  for (const event of events.toSorted((a, b) => a.order - b.order)) {
    if (event.kind !== 'step') continue
    const index = free.findIndex(({ title }) => title === event.name)
    for (const native of index < 0 ? [] : free.splice(index, 1)) twins.set(native, event)
  }
  return twins
}

/** Of too many details those that failed within nothing that passed, then others that failed, then the latest; each with what it is in. */
function limitDetails(listed: readonly ListedStep[]): { kept: StepEvent[]; left: number } {
  const details = listed.filter(({ event }) => event.isDetail)
  const chosen = new Set<ListedStep>()
  const latest = details.toReversed()
  const failed = latest.filter(({ event }) => !event.passed)
  const causes = failed.filter(({ around }) => around.every(({ event }) => !event.passed))
  const byWeight = details.length <= MAX_DETAILS ? details : [...causes, ...failed, ...latest]
  for (const detail of byWeight) {
    const missing = [...detail.around, detail].filter((each) => each.event.isDetail && !chosen.has(each))
    if (chosen.size + missing.length <= MAX_DETAILS) for (const each of missing) chosen.add(each)
  }
  const kept = listed.filter((each) => !each.event.isDetail || chosen.has(each))
  return { kept: kept.map(({ event }) => event), left: details.length - chosen.size }
}

function tellLeft(count: number, { startedAtMs }: StepPlan): TestApiEvent {
  const message = `${count} more steps of Playwright's, of which at most ${MAX_DETAILS} of an attempt are told`
  return { kind: 'log', message, atMs: startedAtMs, order: 0 }
}

/** Steps keep the order of Playwright's report, where those that run side by side follow each other whole. */
function mergeByTime(steps: readonly StepEvent[], others: readonly TestApiEvent[]): TestApiEvent[] {
  const merged: TestApiEvent[] = []
  const waiting = others.toReversed()
  let latestMs = -Infinity
  for (const step of steps) {
    latestMs = Math.max(latestMs, Math.floor(step.atMs))
    while (isBefore(waiting.at(-1), step, latestMs)) merged.push(...waiting.splice(-1))
    merged.push(step)
  }
  return [...merged, ...waiting.toReversed()].map((event, order): TestApiEvent => ({ ...event, order }))
}

/**
 * Playwright's times are truncated to milliseconds: at equal ones, its step began first. Of our own steps the order of the
 * calls is known.
 */
function isBefore(event: TestApiEvent | undefined, step: StepEvent, stepAtMs: number): boolean {
  if (event === undefined) return false
  const atMs = Math.floor(event.atMs)
  return atMs < stepAtMs || (atMs === stepAtMs && event.order < step.order)
}
