import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findOwnPlace, toOwnLocation } from './own-place'
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

describe('findOwnPlace', () => {
  const code = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n')
  let rootDir = ''
  beforeEach(() => {
    rootDir = realpathSync(mkdtempSync(path.join(tmpdir(), 'runledger-place-')))
    writeFileSync(path.join(rootDir, 'a.test.js'), code)
  })
  afterEach(() => rmSync(rootDir, { recursive: true }))

  it('is the innermost frame in the project’s own code, with the lines around it', () => {
    const stack = [
      '    at expect (/lib/expect.js:1:1)',
      `    at load (${rootDir}/node_modules/x/index.js:1:1)`,
      `    at Object.<anonymous> (${rootDir}/a.test.js:5:3)`,
      `    at Object.<anonymous> (${rootDir}/a.test.js:1:1)`,
    ].join('\n')
    expect(findOwnPlace(stack, rootDir)).toEqual({
      location: { file: 'a.test.js', line: 5, column: 3 },
      snippet: [
        '  2 | two',
        '  3 | three',
        '  4 | four',
        '> 5 | five',
        '    |   ^',
        '  6 | six',
        '  7 | seven',
      ].join('\n'),
    })
  })

  it('has no snippet for a line that the file lacks, or a file that cannot be read', () => {
    const placeOf = (frame: string) => findOwnPlace(`    at ${rootDir}/${frame}`, rootDir)
    expect(placeOf('a.test.js:9:1')).toEqual({ location: { file: 'a.test.js', line: 9, column: 1 } })
    expect(placeOf('gone.js:1:1')).toEqual({ location: { file: 'gone.js', line: 1, column: 1 } })
  })

  it('is nothing for a stack that leads to no file of the project', () => {
    expect(findOwnPlace('    at x (/elsewhere/a.js:1:1)', rootDir)).toEqual({})
    expect(findOwnPlace('', rootDir)).toEqual({})
  })
})

describe('toOwnLocation', () => {
  it('names a file of the project from its root, with as much of the place as is known', () => {
    expect(toOwnLocation({ file: '/project/tests/a.spec.ts', line: 3 }, '/project')).toEqual({
      file: 'tests/a.spec.ts',
      line: 3,
    })
  })

  it('is nothing for a package, or a file outside of the project', () => {
    expect(toOwnLocation({ file: '/project/node_modules/x/index.js' }, '/project')).toBeUndefined()
    expect(toOwnLocation({ file: '/elsewhere/a.ts' }, '/project')).toBeUndefined()
  })
})

it('leaves out a frame with a line beyond any file', () => {
  expect(listSourceLocations('    at /r/a.js:99999999999999999999:1')).toEqual([])
})
