import type { ContractCase } from '../contract-case'
import { RUN_CASES } from './run-cases'

/** What every operation answers, beside what `generateCases` makes. */
export const CASES: readonly ContractCase[] = [...RUN_CASES]
