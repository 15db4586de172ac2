import type { Phase, PhaseOutcome, TestError } from '@runledger/protocol'
import { type AttemptAttachments, listErrors, type PlacedAttachment } from '@runledger/presentation'

/** One attempt of a step, with what it left behind. */
export interface AttemptView {
  /** Counted from 1. */
  number: number
  /** Unknown of an attempt that only its attachments tell of. */
  outcome: PhaseOutcome | undefined
  startedAt: string | undefined
  duration: string | undefined
  /** Number of the framework's worker. */
  worker: number | undefined
  errors: TestError[]
  /** Errors that were not kept. */
  moreErrors: number
  attachments: PlacedAttachment[]
}

/** The attempts of a step in order, the last being the step itself; always at least that one. */
export function listAttempts(phase: Phase, attachments: AttemptAttachments[] = []): AttemptView[] {
  const told = phase.attempts ?? []
  const numbered = attachments.map(({ attempt }) => attempt ?? 0)
  const last = Math.max(told.length + (phase.more_attempts ?? 0), phase.retry_count + 1, ...numbered)
  const views = told
    .slice(0, -1)
    .map(({ outcome, started_at: startedAt, duration, worker, errors, more_errors: moreErrors }, index) =>
      createView(index + 1, { outcome, startedAt, duration, worker, errors, moreErrors }),
    )
  for (const number of new Set(numbered)) {
    if (number > views.length && number > 0 && number < last) views.push(createView(number, {}))
  }
  const { outcome, more_errors: moreErrors } = phase
  const itself = told.at(-1)
  views.push(
    createView(last, {
      outcome,
      startedAt: itself?.started_at ?? phase.started_at,
      duration: itself?.duration ?? phase.duration,
      worker: itself?.worker ?? phase.worker,
      errors: listErrors(phase),
      moreErrors,
    }),
  )
  for (const { attempt, attachments: placed } of attachments)
    views.find(({ number }) => number === (attempt ?? last))?.attachments.push(...placed)
  return views
}

interface AttemptFacts extends Partial<Pick<AttemptView, 'outcome' | 'startedAt' | 'duration' | 'worker'>> {
  errors?: TestError[] | undefined
  moreErrors?: number | undefined
}

function createView(number: number, facts: AttemptFacts): AttemptView {
  const { outcome, startedAt, duration, worker, errors = [], moreErrors = 0 } = facts
  return { number, outcome, startedAt, duration, worker, errors, moreErrors, attachments: [] }
}
