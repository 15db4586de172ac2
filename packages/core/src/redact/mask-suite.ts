import type { Survey, Surveys } from '../record/survey'
import type { Suite } from '../model/suite'
import { addTexts, maskRecord } from './mask-record'
import type { Masker, NoteFound } from './masker'

/** Masks every text of a suite, in place. Most suites have nothing to mask, and their texts are looked through together. */
export function maskSuite(
  suite: Suite,
  { masker, surveys, note }: { masker: Masker; surveys: Surveys; note: NoteFound },
): void {
  if (masker.isClean(listTexts(suite, surveys.of(suite)))) return
  maskRecord(suite, masker, note)
  surveys.forget(suite)
}

function listTexts({ tests: _tests, ...others }: Suite, { names, special }: Survey): string[] {
  // To look through all that a test may have costs many times as much, and a plain one has no more texts than its name.
  const texts = [...names]
  addTexts(texts, others)
  for (const test of special) addTexts(texts, test)
  return texts
}
