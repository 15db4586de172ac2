import type { TestError } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { comesFrom, findLoadedFile, listStackFiles } from './error-place'

function thrownAt(frames: string[], file: string): TestError {
  const stack = ['Error: boom', ...frames.map((frame) => `    at ${frame}`)].join('\n')
  return { message: 'Error: boom', stack, location: { file, line: 1, column: 7 } }
}

// As Playwright 1.40 and 1.65 tell it.
const broken = thrownAt(
  ['Object.<anonymous> (/project/helper.js:1:7)', 'Object.<anonymous> (/project/a.spec.js:1:1)'],
  '/project/helper.js',
)

describe('listStackFiles', () => {
  it.each([
    ['go (/project/bench.js:1:34)', '/project/bench.js'],
    ['async /project/bench.js:1:34', '/project/bench.js'],
    ['file:///project/my%20bench.js:1:34', '/project/my bench.js'],
    ['new Bench (/project (2)/bench.js:1:34)', '/project (2)/bench.js'],
    ['Object.<anonymous> (C:\\project\\a.spec.ts:1:1)', 'C:\\project\\a.spec.ts'],
  ])('reads the frame: at %s', (frame, file) => {
    expect(listStackFiles(thrownAt([frame], ''))).toEqual([file])
  })

  it('reads no file out of a message or out of Node’s own frames', () => {
    expect(
      listStackFiles({ stack: 'Error: see /project/a.js:1:1\n    at node:internal/modules:1:1' }),
    ).toEqual([])
    expect(listStackFiles({ message: 'no stack' })).toEqual([])
    expect(listStackFiles({ stack: 'seen    at go (/project/a.js:1:1)' })).toEqual([])
    expect(listStackFiles({ stack: '    at go (/project/a.js:1:1) and more' })).toEqual([])
    expect(listStackFiles({ stack: '    at go (/project/a.js:12)' })).toEqual(['/project/a.js'])
  })
})

describe('comesFrom', () => {
  it('finds the file that called what threw', () => {
    expect(comesFrom(broken, '/project/a.spec.js')).toBe(true)
    expect(comesFrom(broken, '/project/b.spec.js')).toBe(false)
    expect(comesFrom(broken, null)).toBe(false)
    expect(comesFrom({ location: { file: '/project/a.js', line: 1, column: 1 } }, '/project/a.js')).toBe(true)
    expect(comesFrom({ message: 'of nowhere' }, '/project/a.js')).toBe(false)
  })
})

describe('findLoadedFile', () => {
  it('is the test file, not the broken module that it imports', () => {
    expect(findLoadedFile(broken)).toBe('/project/a.spec.js')
  })

  it('is no file of a dependency', () => {
    const inDependency = thrownAt(['go (/project/node_modules/x/index.js:1:1)'], '/project/a.spec.js')
    expect(findLoadedFile(inDependency)).toBe('/project/a.spec.js')
    const named = thrownAt(['go (/project/my_node_modules_2/index.js:1:1)'], '/project/a.spec.js')
    expect(findLoadedFile(named)).toBe('/project/my_node_modules_2/index.js')
  })

  it('is the place that Playwright names when there is no stack', () => {
    expect(findLoadedFile({ location: { file: '/project/a.spec.js', line: 3, column: 1 } })).toBe(
      '/project/a.spec.js',
    )
  })

  it('is unknown when Playwright names no place', () => {
    expect(findLoadedFile({ message: 'Error: Cannot find module', stack: 'Error: Cannot find module' })).toBe(
      undefined,
    )
  })
})
