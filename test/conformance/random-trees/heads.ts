const FAILURES = `const failures = [
  () => { throw new Error('out of limits') },
  () => { throw 'only a string' },
  () => { expect(1).toBe(2) },
  async () => { await null; throw new TypeError('later') },
  () => { throw undefined },
]
`

/** Plays an attempt of a script: \`play(script, number of the attempt, how it fails, how it skips)\`. */
const PLAY = `const play = async (script, attempt, failure, skip) => {
  const act = script[Math.min(attempt, script.length) - 1]
  if (act === 'fail') await failures[failure]()
  if (act === 'skip') skip()
  if (act === 'stall') await stall()
}
`

const STALL = 'const stall = () => new Promise(() => {})\n'

/** What a rendered file defines before its tests, beside the dialect's head. */
export const HEADS = {
  // Jest tells a test the number of its attempt nowhere but in its own state; that knows no concurrent tests.
  jest: `${FAILURES}${STALL}${PLAY}const circus = globalThis[
  Object.getOwnPropertySymbols(globalThis).find((symbol) => symbol.description === 'JEST_STATE_SYMBOL')
]
const counting = (body) => {
  const starts = new Map()
  return async (...[n]) => {
    starts.set(n, (starts.get(n) ?? 0) + 1)
    await body(starts.get(n))
  }
}
`,
  vitest: FAILURES + STALL + PLAY,
  playwright: `${FAILURES}const stall = () => { test.setTimeout(500); return new Promise(() => {}) }
const skip = () => test.skip(true)
${PLAY}`,
}
