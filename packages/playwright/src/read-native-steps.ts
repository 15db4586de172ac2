import type { StepEvent, TestApiEvent } from '@runledger/core'
import { readFields, readLength, readSnippet, readText, toOwnLocation } from '@runledger/reporter-kit'
import type { TestStep } from '@playwright/test/reporter'
import { mapError } from './map-error'
import { hasEnded, readPlace, readStart, readSteps } from './read-result'

export interface StepContext {
  /** Start of the attempt: a step seems to be earlier when its test mocks the clock. */
  startedAtMs: number
  /** When the reporter was told of its end, where that is known: a step cannot be later. */
  seenAtMs?: number | undefined
  /** Files on record are relative to it. */
  rootDir: string
  /** All kinds of steps are told, as details: why the test failed is in the test's own errors. */
  areDetails?: boolean | undefined
  /** The test failed: the code around each step is told. */
  hasSnippets?: boolean | undefined
}

/** A step with those that it is in, outermost first. */
export interface ListedStep {
  event: StepEvent
  around: ListedStep[]
}

interface Level {
  within: string[]
  depth: number
  around: ListedStep[]
}

/** Reads Playwright's steps of one attempt in the order of its own report. */
export class StepReader {
  #latestMs: number

  constructor(
    private readonly plan: StepContext & { depth: number },
    /** Our events of steps that are Playwright's too. */
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

  /** Where only `test.step` was asked for, hooks and fixtures around are no levels. */
  #isTold({ category, title }: TestStep): boolean {
    return this.plan.areDetails ? !OWN_CHANNEL.test(title) : category === 'test.step'
  }

  /** A step that was under way when its test ended has not passed: Playwright's own report calls it failed. */
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

  /** On a clock that the test has mocked, a step begins with the one before it. */
  #readStart(step: TestStep): number {
    const { startedAtMs, seenAtMs = Infinity } = this.plan
    const atMs = readStart(step)
    if (atMs !== undefined && atMs >= startedAtMs && atMs <= seenAtMs) this.#latestMs = atMs
    return this.#latestMs
  }
}

/** Up to 1.49 Playwright tells each attachment as a step, also those that carry our events. */
const OWN_CHANNEL = /^attach "runledger"$/i

/** Since 1.6x, what a step acts on is not in its title. */
function nameStep(step: TestStep): string {
  return [step.title, readText(readFields(step)['subtitle']) ?? ''].join(' ').trim()
}

/** What a test types may be a password, and what it asks a page for a token: nobody asked for either to be on record. */
function withoutInput(name: string): string {
  return name
    .replace(/^(Fill|Type|Press sequentially|Insert text) ".*"/s, '$1 "…"')
    .replaceAll(/([?#])[\w.~%[\]-]+=[^\s"')]*/g, '$1…')
}

/** Our own event of a step, with what Playwright tells of it. */
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
