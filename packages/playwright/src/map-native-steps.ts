import type { StepEvent, TestApiEvent } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { readSteps } from './read-result'
import { addReason, StepReader, type ListedStep, type StepContext } from './read-native-steps'

export interface StepPlan extends StepContext {
  /** Levels of nested steps; 0 for only those of our `step`. */
  depth: number
}

/** Levels, and the most details of one attempt, that are recorded for a failed test by default. */
export const DETAIL_DEPTH = 3
const MAX_DETAILS = 200

/**
 * Adds Playwright's steps to an attempt's events, sorted by time. Our `step` is also one of Playwright's: only its event
 * is kept, with Playwright's error and place.
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
  return mergeByTime(kept, left === 0 ? others : [describeLeft(left, plan), ...others])
}

function listTestSteps(steps: readonly TestStep[]): TestStep[] {
  return steps.flatMap((step) => [
    ...(step.category === 'test.step' ? [step] : []),
    ...listTestSteps(readSteps(step)),
  ])
}

/** Pairs our steps, in order, with Playwright's next one of the same name. */
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

/**
 * If there are too many: first failed ones that are within nothing passed, then other failed ones, then the latest; each
 * with its outer steps.
 */
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

function describeLeft(count: number, { startedAtMs }: StepPlan): TestApiEvent {
  const message = `${count} more steps of Playwright are not recorded: at most ${MAX_DETAILS} for each attempt`
  return { kind: 'log', message, atMs: startedAtMs, order: 0 }
}

/** Keeps Playwright's order, in which concurrent steps follow each other whole. */
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

/** Playwright's times are whole milliseconds: at equal ones, its step began first. The order of our steps is known. */
function isBefore(event: TestApiEvent | undefined, step: StepEvent, stepAtMs: number): boolean {
  if (event === undefined) return false
  const atMs = Math.floor(event.atMs)
  return atMs < stepAtMs || (atMs === stepAtMs && event.order < step.order)
}
