import type { Said } from '@runledger/core'
import { SAID_MEDIA_TYPE } from '@runledger/core/test-side'
import type { TestResult, TestStep } from '@playwright/test/reporter'
import type { PlaywrightAttachment } from './map-attachments'

/** What an attempt said: in the test and its hooks, and in hooks of the whole file that ran beside it. */
export interface SaidInAttempt {
  own: Said[]
  ofSuite: Said[]
}

const SUITE_HOOK = /^(beforeAll|afterAll) hook$/

/** Reads the private attachments of an attempt. Only since 1.50 Playwright tells which of them a hook made. */
export function mapSaid({ attachments, steps }: TestResult): SaidInAttempt {
  const said: SaidInAttempt = { own: [], ofSuite: [] }
  const bundles = attachments.filter(({ contentType }) => contentType === SAID_MEDIA_TYPE)
  if (bundles.length === 0) return said
  const ofHooks = new Set(listHookAttachments(steps, false))
  for (const bundle of bundles) (ofHooks.has(bundle) ? said.ofSuite : said.own).push(...readBundle(bundle))
  return said
}

function listHookAttachments(steps: readonly TestStep[], isInHook: boolean): PlaywrightAttachment[] {
  return steps.flatMap((step) => {
    const isHook = isInHook || (step.category === 'hook' && SUITE_HOOK.test(step.title))
    const own = isHook ? ((step as Partial<Pick<TestStep, 'attachments'>>).attachments ?? []) : []
    return [...own, ...listHookAttachments(step.steps, isHook)]
  })
}

function readBundle({ body }: PlaywrightAttachment): Said[] {
  try {
    const said: unknown = JSON.parse(String(body))
    return Array.isArray(said) ? (said as Said[]) : []
  } catch {
    // Somebody else's, of the same media type.
    return []
  }
}
