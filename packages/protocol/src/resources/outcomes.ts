import * as z from 'zod'

export const RUN_OUTCOMES = ['PASS', 'FAIL', 'ERROR', 'TIMEOUT', 'ABORTED'] as const
export const RunOutcomeSchema = z.enum(RUN_OUTCOMES)
export type RunOutcome = z.output<typeof RunOutcomeSchema>

export const PhaseOutcomeSchema = z.enum(['PASS', 'FAIL', 'SKIP', 'ERROR'])
export type PhaseOutcome = z.output<typeof PhaseOutcomeSchema>
