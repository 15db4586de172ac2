import type { TestApiEvent } from '@runledger/core'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { TEST_API_MEDIA_TYPE } from './channel'
import type { PlaywrightAttachment } from './map-attachments'

/** Events of an attempt and its hooks, and of the file's own hooks that Playwright reports with it. */
export interface AttemptEvents {
  own: TestApiEvent[]
  ofSuite: TestApiEvent[]
}

const SUITE_HOOK = /^(beforeAll|afterAll) hook$/

/** Reads the private attachments of an attempt. Only since 1.50 does Playwright tell which of them a hook made. */
export function mapEvents({ attachments, steps }: TestResult): AttemptEvents {
  const events: AttemptEvents = { own: [], ofSuite: [] }
  const batches = attachments.filter(({ contentType }) => contentType === TEST_API_MEDIA_TYPE)
  if (batches.length === 0) return events
  const ofHooks = new Set(listHookAttachments(steps, false))
  for (const batch of batches) {
    const holder = ofHooks.has(batch) ? events.ofSuite : events.own
    for (const event of readBatch(batch)) holder.push(event)
  }
  return events
}

function listHookAttachments(steps: readonly TestStep[], isInHook: boolean): PlaywrightAttachment[] {
  return steps.flatMap((step) => {
    const isHook = isInHook || (step.category === 'hook' && SUITE_HOOK.test(step.title))
    const own = isHook ? ((step as Partial<Pick<TestStep, 'attachments'>>).attachments ?? []) : []
    return [...own, ...listHookAttachments(step.steps, isHook)]
  })
}

function readBatch({ body }: PlaywrightAttachment): TestApiEvent[] {
  try {
    const events: unknown = JSON.parse(String(body))
    return Array.isArray(events) ? (events as TestApiEvent[]) : []
  } catch {
    // Not ours, though of the same media type.
    return []
  }
}
