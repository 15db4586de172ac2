const FAILURES = `const failures = [
  (mark) => { throw new Error('out of limits ' + mark) },
  (mark) => { throw 'only a string ' + mark.split('/')[0].replace(/»?$/, '»') },
  (mark) => { expect(mark).toBe('in limits') },
  async (mark) => { await null; throw new TypeError('later ' + mark) },
  () => { throw undefined },
  () => stall(),
]
const mark = (id) => '«' + id + '»'
`

/** Plays an attempt of a script: \`play(script, number of the attempt, id, how it fails, how it skips)\`. */
const PLAY = `const play = async (script, attempt, id, failure, skip) => {
  const act = script[Math.min(attempt, script.length) - 1]
  if (act === 'fail') await failures[failure](mark('t' + id + '/' + attempt))
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
