import type { Suite } from '@runledger/core'
import { expect } from 'vitest'
import { Random } from './random'
import { findWronglyStored } from './stored-verdicts'
import { becomesRun } from './suites'

/** What a reporter made of the recorded results of one file, in which one field was changed. */
export interface Mutant {
  /** For messages: the file and the change. */
  what: string
  /** What core was given of the file. */
  suites: readonly Suite[]
  /** Errors that belong to no suite. */
  problemCount?: number
  /** What the framework itself says of the changed results; undefined where it fails on them, or they contradict each other. */
  hasPassed: boolean | undefined
  /** The framework counts a test of the file as run. */
  mustBeStored: boolean
}

/** How many results each framework's test changes: few with the fast tests, 5,000 in `npm run soak -- mutated-results`. */
export const MUTANT_COUNT = Number(process.env['SOAK_MUTANTS'] ?? 100)
if (!(MUTANT_COUNT > 0)) throw new Error('SOAK_MUTANTS is a number above 0')

/** Expects that each mutant is one suite with the framework's verdict, and a run of a real service with the same. */
export async function expectTrueVerdicts(
  create: (random: Random) => Mutant | Promise<Mutant>,
): Promise<void> {
  const seed = process.env['SOAK_SEED'] ?? String(Date.now())
  const random = new Random(seed)
  const stored: Suite[] = []
  const origins: string[] = []
  while (stored.length < MUTANT_COUNT) {
    const { what, suites, problemCount = 0, hasPassed, mustBeStored } = await create(random)
    const origin = `seed ${seed}, mutant ${stored.length}, ${what}`
    expect(suites, origin).toHaveLength(1)
    const [suite] = suites as [Suite]
    const isPassed = suite.outcome === 'passed' && suite.problems.length + problemCount === 0
    if (hasPassed !== undefined) expect(isPassed, origin).toBe(hasPassed)
    if (mustBeStored) expect(becomesRun(suite), origin).toBe(true)
    stored.push({ ...suite, file: String(stored.length) })
    origins.push(origin)
  }
  const wrong = await findWronglyStored(stored)
  expect(wrong.map((file) => origins[Number(file)])).toEqual([])
}
