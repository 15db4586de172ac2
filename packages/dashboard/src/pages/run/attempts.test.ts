import type { RunAttachment } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { listAttempts } from './attempts'
import { madePhase } from '../../../../../test/support/made-phase'

const at = '2026-11-20T09:30:00.000Z'
const error = (message: string) => ({ fingerprint: 'f', message })
const attachment = { id: 'a', name: 'x', size: 1, content_type: null, is_report: false, download_url: null }

function left(attempt: number | undefined, fileName: string) {
  return { attempt, attachments: [{ attachment: attachment as RunAttachment, fileName }] }
}

function outline(...given: Parameters<typeof listAttempts>) {
  return listAttempts(...given).map(({ number, outcome, errors, attachments }) => [
    number,
    outcome,
    errors.map(({ message }) => message),
    attachments.map(({ fileName }) => fileName),
  ])
}

it('has one attempt of a step that had no other', () => {
  const phase = madePhase('a', 'FAIL', { error: error('broke') })
  expect(outline(phase, [left(undefined, 'shot.png')])).toEqual([[1, 'FAIL', ['broke'], ['shot.png']]])
})

it('gives each attempt its own errors and files, and the step’s own to the last', () => {
  const attempts = [
    { outcome: 'ERROR' as const, started_at: at, duration: 'PT1S', errors: [error('no network')] },
    { outcome: 'FAIL' as const, started_at: at, duration: 'PT2S', errors: [error('broke')] },
  ]
  const phase = madePhase('a', 'FAIL', { retry_count: 1, attempts, errors: [error('broke'), error('again')] })
  expect(outline(phase, [left(1, 'one.png'), left(2, 'two.png'), left(undefined, 'log')])).toEqual([
    [1, 'ERROR', ['no network'], ['one.png']],
    [2, 'FAIL', ['broke', 'again'], ['two.png', 'log']],
  ])
})

it('takes the number of attempts from their files and the count of retries where nothing else tells', () => {
  expect(outline(madePhase('a', 'PASS', { retry_count: 2 }), [left(1, 'one.png')])).toEqual([
    [1, undefined, [], ['one.png']],
    [3, 'PASS', [], []],
  ])
})

it('counts attempts that were not kept', () => {
  const attempts = Array.from({ length: 3 }, () => ({
    outcome: 'FAIL' as const,
    started_at: at,
    duration: 'PT1S',
  }))
  const phase = madePhase('a', 'FAIL', { retry_count: 6, attempts, more_attempts: 4 })
  expect(listAttempts(phase).map(({ number }) => number)).toEqual([1, 2, 7])
})
