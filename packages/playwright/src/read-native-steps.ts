import type { StepEvent, TestApiEvent } from '@runledger/core'
import { readFields, readLength, readSnippet, readText, toOwnLocation } from '@runledger/reporter-kit'
import type { TestStep } from '@playwright/test/reporter'
import { mapError } from './map-error'
import { hasEnded, readPlace, readStart, readSteps } from './read-result'

export interface StepContext {
  /** A mocked clock can make a step seem earlier than its attempt. */
  startedAtMs: number
  /** When its end was reported: a step cannot be later. */
  seenAtMs?: number | undefined
  rootDir: string
  /** Record all kinds of steps as details; the test's own errors explain the failure. */
  areDetails?: boolean | undefined
  /** Record the code around each step of a failed test. */
  hasSnippets?: boolean | undefined
}

export interface ListedStep {
  event: StepEvent
  around: ListedStep[]
}

interface Level {
  within: string[]
  depth: number
  around: ListedStep[]
}

/** In the order of Playwright's report. */
export class StepReader {
  #latestMs: number

  constructor(
    private readonly plan: StepContext & { depth: number },
    private readonly twins: ReadonlyMap<TestStep, StepEvent>,
  ) {
    this.#latestMs = plan.startedAtMs
  }

  list(steps: readonly TestStep[], level: Level = { within: [], depth: 0, around: [] }): ListedStep[] {
    return steps.flatMap((step) => {
      const atMs = this.#readStart(step)
      if (!this.#isTold(step)) return this.list(readSteps(step), level)
      const own = this.twins.get(step)
      const event = own ? addReason(own, step, this.plan) : this.#map(step, atMs, level.within)
      const listed = { event, around: level.around }
      const inner = {
        within: [...(event.within ?? []), event.name],
        depth: level.depth + 1,
        around: [...level.around, listed],
      }
      const isKept = own !== undefined || level.depth < this.plan.depth
      return [...(isKept ? [listed] : []), ...this.list(readSteps(step), inner)]
    })
  }

  /** If only `test.step` was requested, hooks and fixtures are not levels. */
  #isTold({ category, title }: TestStep): boolean {
    return this.plan.areDetails ? !OWN_CHANNEL.test(title) : category === 'test.step'
  }

  /** A step under way at its test's end has not passed: Playwright too calls it failed. */
  #map(step: TestStep, atMs: number, within: string[]): StepEvent {
    const { rootDir, areDetails, seenAtMs = Infinity } = this.plan
    return {
      kind: 'step',
      name: areDetails ? withoutInput(nameStep(step)) : nameStep(step),
      ...(within.length > 0 && { within }),
      passed: step.error === undefined && hasEnded(step),
      atMs,
      durationMs: Math.max(0, Math.min(readLength(step.duration) ?? 0, seenAtMs - atMs)),
      order: 0,
      ...(areDetails && { isDetail: true }),
      ...(step.error !== undefined && !areDetails && { error: mapError(step.error, rootDir) }),
      ...findCall(step, this.plan),
    }
  }

  /** On a mocked clock, a step begins with the one before it. */
  #readStart(step: TestStep): number {
    const { startedAtMs, seenAtMs = Infinity } = this.plan
    const atMs = readStart(step)
    if (atMs !== undefined && atMs >= startedAtMs && atMs <= seenAtMs) this.#latestMs = atMs
    return this.#latestMs
  }
}

/** Up to 1.49, Playwright reports each attachment as a step, including those with our events. */
const OWN_CHANNEL = /^attach "runledger"$/i

/** Since 1.6x, a step's title omits what it acts on. */
function nameStep(step: TestStep): string {
  return [step.title, readText(readFields(step)['subtitle']) ?? ''].join(' ').trim()
}

/** Typed text may be a password, and a request may contain a token. */
function withoutInput(name: string): string {
  return name
    .replace(/^(Fill|Type|Press sequentially|Insert text) ".*"/s, '$1 "…"')
    .replaceAll(/([?#])[\w.~%[\]-]+=[^\s"')]*/g, '$1…')
}

/** Our event of a step, with Playwright's facts. */
export function addReason<Event extends TestApiEvent>(
  event: Event,
  native: TestStep | undefined,
  context: StepContext,
): Event {
  if (event.kind !== 'step' || native === undefined) return event
  const hasError = !event.passed && native.error !== undefined
  return {
    ...event,
    ...(hasError && { error: mapError(native.error, context.rootDir) }),
    ...findCall(native, context),
  }
}

function findCall(
  step: TestStep,
  { rootDir, hasSnippets }: StepContext,
): Pick<StepEvent, 'location' | 'snippet'> {
  const place = readPlace(step.location)
  const location = place && toOwnLocation(place, rootDir)
  if (place === undefined || location === undefined) return {}
  const snippet = hasSnippets ? readSnippet(place) : undefined
  return { location, ...(snippet !== undefined && { snippet }) }
}
