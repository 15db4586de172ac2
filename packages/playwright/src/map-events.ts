import type { TestApiEvent } from '@runledger/core'
import { readEvent, readList } from '@runledger/reporter-kit'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import { TEST_API_MEDIA_TYPE } from './channel'
import type { PlaywrightAttachment } from './map-attachments'
import { readAttachments, readSteps } from './read-result'

/** Events of an attempt and its hooks, and of the file's hooks. */
export interface AttemptEvents {
  own: TestApiEvent[]
  ofSuite: TestApiEvent[]
}

const SUITE_HOOK = /^(beforeAll|afterAll) hook$/

/** Only since 1.50 does Playwright say which attachments a hook made. */
export function mapEvents(result: TestResult): AttemptEvents {
  const events: AttemptEvents = { own: [], ofSuite: [] }
  const batches = readAttachments(result).filter(({ contentType }) => contentType === TEST_API_MEDIA_TYPE)
  if (batches.length === 0) return events
  const ofHooks = new Set(listHookAttachments(readSteps(result), false))
  for (const batch of batches) {
    const holder = ofHooks.has(batch) ? events.ofSuite : events.own
    for (const event of readBatch(batch)) holder.push(event)
  }
  return events
}

function listHookAttachments(steps: readonly TestStep[], isInHook: boolean): PlaywrightAttachment[] {
  return steps.flatMap((step) => {
    const isHook = isInHook || (step.category === 'hook' && SUITE_HOOK.test(step.title))
    const own = isHook ? readAttachments(step) : []
    return [...own, ...listHookAttachments(readSteps(step), isHook)]
  })
}

function readBatch({ body }: PlaywrightAttachment): TestApiEvent[] {
  try {
    const events: unknown = JSON.parse(String(body))
    return readList(events).flatMap((each) => (readEvent(each) as TestApiEvent | undefined) ?? [])
  } catch {
    // Not ours, though of the same media type.
    return []
  }
}
