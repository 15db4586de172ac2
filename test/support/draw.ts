import { Random, SOAK_SEED } from './random'

const { SOAK_CASES } = process.env

/**
 * Some of the cases of a test that takes long and rarely finds anything, in their order: CI draws others each time.
 * `npm run soak -- cases` runs all of them, and `npm run conformance` all behaviours of the conformance tests.
 */
export function drawCases<Case>(of: string, cases: readonly Case[], count: number): Case[] {
  if (SOAK_CASES === 'all' || cases.length <= count) return [...cases]
  console.log(`${of}: ${count} of ${cases.length}, drawn by SOAK_SEED=${SOAK_SEED}`)
  const random = new Random(`${SOAK_SEED}/${of}`)
  const order = cases.map((each) => ({ each, place: random.next() })).toSorted((a, b) => a.place - b.place)
  const drawn = new Set(order.slice(0, count).map(({ each }) => each))
  return cases.filter((each) => drawn.has(each))
}
