import { describe, expect, it } from 'vitest'
import { listSourceLocations } from './source-location'

describe('listSourceLocations', () => {
  it.each([
    ['go (/project/bench.js:1:34)', '/project/bench.js', 1, 34],
    ['async /project/bench.js:1:34', '/project/bench.js', 1, 34],
    ['/project/bench.js:12:3', '/project/bench.js', 12, 3],
    ['go (/project/bench.js:12)', '/project/bench.js', 12, 1],
    ['call (file:///project/my%20bench.js:1:34)', '/project/my bench.js', 1, 34],
    ['new Bench (/project (2)/bench.js:1:34)', '/project (2)/bench.js', 1, 34],
    ['/project/app (lab)/a.test.js:3:9', '/project/app (lab)/a.test.js', 3, 9],
    ['Object.<anonymous> (C:\\project\\a.spec.ts:1:1)', 'C:\\project\\a.spec.ts', 1, 1],
  ])('reads the frame: at %s', (frame, file, line, column) => {
    expect(listSourceLocations(`    at ${frame}`)).toEqual([{ file, line, column }])
  })

  it('lists the frames in files, innermost first', () => {
    const stack = [
      'Error: see /project/a.js:1:1',
      '    at AsyncLocalStorage.run (node:async_hooks:346:14)',
      '    at async /project/my tests/power (1).spec.ts:14:9',
      '    at Object.<anonymous> (/project/worker.js:1:1)',
    ]
    expect(listSourceLocations(stack.join('\n')).map(({ file }) => file)).toEqual([
      '/project/my tests/power (1).spec.ts',
      '/project/worker.js',
    ])
  })

  it.each([
    'Error: at a loss',
    '    at native',
    '    at node:internal/modules:1:1',
    '    at go (file:///project/%E0%A4%A.js:1:1)',
    '    at go (/project/a.js:1:1) and more',
    '    at go (/project/a.js:1:1 more)',
    'seen    at go (/project/a.js:1:1)',
    '',
  ])('reads no file out of %j', (line) => {
    expect(listSourceLocations(line)).toEqual([])
  })

  it('reads a very long line in linear time', () => {
    const startMs = performance.now()
    expect(listSourceLocations(`    at (/${'a:1'.repeat(33_000)}`)).toEqual([])
    expect(performance.now() - startMs).toBeLessThan(1_000)
  })
})
