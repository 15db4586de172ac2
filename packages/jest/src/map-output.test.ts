import { expect, test } from 'vitest'
import { mapOutput } from './map-output'

const originOf = (frame: string) =>
  mapOutput([{ message: 'x', origin: frame, type: 'log' }], '/project')[0]?.origin

test.each([
  ['    at Object.log (/project/src/a.test.js:3:9)', 'src/a.test.js:3'],
  ['    at /project/a.test.js:3:9', 'a.test.js:3'],
  ['    at async /project/a.test.js:3:9', 'a.test.js:3'],
  ['    at Object.log (/project/two words/a.test.js:3:9)', 'two words/a.test.js:3'],
  ['    at new Chamber (/project/app/(lab)/a.test.js:3:9)\n    at x (/y.js:1:1)', 'app/(lab)/a.test.js:3'],
  ['    at /project/app (lab)/a.test.js:3:9', 'app (lab)/a.test.js:3'],
  ['    at native', undefined],
  ['called    at Object.log (/project/a.test.js:3:9)', undefined],
  ['    at Object.log (/project/a.test.js:30:9)', 'a.test.js:30'],
  ['    at Object.log (/project/a.test.js:3:9 more)', undefined],
  ['', undefined],
])('the origin of a console call at %j is %j', (frame, origin) => {
  expect(originOf(frame)).toBe(origin)
})

test('an origin of 100 000 characters without a location is read at once', () => {
  const startMs = performance.now()
  expect(originOf(`    at (${'a:1'.repeat(33_000)}`)).toBeUndefined()
  expect(performance.now() - startMs).toBeLessThan(1_000)
})

test('the methods that Node writes to stderr stay on stderr', () => {
  const entries = ['log', 'warn', 'error'].map((type) => ({ message: 'x', origin: '', type }))
  expect(mapOutput(entries, '/project').map(({ stream }) => stream)).toEqual(['stdout', 'stderr', 'stderr'])
  expect(mapOutput(undefined, '/project')).toEqual([])
})
