import { hasMore } from '../run/has-more'
import type { Attempt, Suite } from '../suite'
import { addTexts, maskRecord } from './mask-record'
import type { Masker, NoteFound } from './masker'

/** Masks every text of a suite, in place. Most suites have nothing to mask, and their texts are looked through together. */
export function maskSuite(suite: Suite, masker: Masker, note: NoteFound): void {
  if (!masker.isClean(listTexts(suite))) maskRecord(suite, masker, note)
}

function listTexts({ tests, ...others }: Suite): string[] {
  const texts: string[] = []
  addTexts(texts, others)
  tests.forEach((test) => {
    const { titles, attempts, note } = test
    if (note !== undefined || attempts.length !== 1) return addTexts(texts, test)
    // To look through all that a test may have costs many times as much, and most have no more texts than these.
    if (hasMore(attempts[0] as Attempt)) addTexts(texts, test)
    else texts.push(titles.join('\n'))
  })
  return texts
}
