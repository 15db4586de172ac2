import * as z from 'zod'
import { RUN_OUTCOMES } from './choices'

export const RunOutcomeSchema = z.enum(RUN_OUTCOMES)
export type RunOutcome = z.output<typeof RunOutcomeSchema>

export const PhaseOutcomeSchema = z.enum(['PASS', 'FAIL', 'SKIP', 'ERROR'])
export type PhaseOutcome = z.output<typeof PhaseOutcomeSchema>
