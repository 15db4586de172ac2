import type { MeasurementOutcome, PhaseOutcome, RunOutcome } from '@runledger/protocol'
import { type FilePath, ReadError } from '../read-error'

const RUN_OUTCOMES: Readonly<Record<string, RunOutcome>> = {
  passed: 'PASS',
  pass: 'PASS',
  p: 'PASS',
  done: 'PASS',
  d: 'PASS',
  failed: 'FAIL',
  fail: 'FAIL',
  f: 'FAIL',
  error: 'ERROR',
  e: 'ERROR',
  terminated: 'ABORTED',
  t: 'ABORTED',
  aborted: 'ABORTED',
  skipped: 'ABORTED',
  notstarted: 'ABORTED',
  inconclusive: 'ERROR',
  running: 'ABORTED',
}

const PHASE_OUTCOMES: Readonly<Record<string, PhaseOutcome>> = {
  passed: 'PASS',
  pass: 'PASS',
  p: 'PASS',
  done: 'PASS',
  d: 'PASS',
  failed: 'FAIL',
  fail: 'FAIL',
  f: 'FAIL',
  error: 'ERROR',
  e: 'ERROR',
  terminated: 'ERROR',
  t: 'ERROR',
  aborted: 'ERROR',
  running: 'ERROR',
  looping: 'ERROR',
  userdefined: 'PASS',
  skipped: 'SKIP',
  s: 'SKIP',
  notstarted: 'SKIP',
  inconclusive: 'ERROR',
  unknown: 'ERROR',
  u: 'ERROR',
}

/** The verdict of a test in the words of WATS, TestStand or ATML. @throws ReadError for another word */
export function readRunOutcome(word: string | undefined, at: FilePath): RunOutcome {
  return find(RUN_OUTCOMES, word, at)
}

/** A stopped step counts as an error; one without a check as passed. */
export function readStepOutcome(word: string | undefined, at: FilePath): PhaseOutcome {
  return find(PHASE_OUTCOMES, word, at)
}

/** The verdict of a value: undefined if the file has none, UNSET if the value was not judged. */
export function readValueOutcome(word: string | undefined): MeasurementOutcome | undefined {
  const outcome = Object.hasOwn(PHASE_OUTCOMES, fold(word)) ? PHASE_OUTCOMES[fold(word)] : undefined
  return outcome === 'SKIP' || outcome === 'ERROR' ? 'UNSET' : outcome
}

function find<Outcome>(
  words: Readonly<Record<string, Outcome>>,
  word: string | undefined,
  at: FilePath,
): Outcome {
  const outcome = Object.hasOwn(words, fold(word)) ? words[fold(word)] : undefined
  if (outcome !== undefined) return outcome
  const what = word === undefined || word === '' ? 'is missing' : `is "${word.slice(0, 60)}"`
  throw new ReadError([
    { path: at, message: `${what}: it must be Passed, Failed, Done, Skipped, Error or Terminated` },
  ])
}

function fold(word = ''): string {
  return word.trim().toLowerCase()
}
