import type { TestError } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { comesFrom, findLoadedFile } from './error-origin'

function thrownAt(frames: string[], file: string): TestError {
  const stack = ['Error: boom', ...frames.map((frame) => `    at ${frame}`)].join('\n')
  return { message: 'Error: boom', stack, location: { file, line: 1, column: 7 } }
}

// As in Playwright 1.40 and 1.65.
const broken = thrownAt(
  ['Object.<anonymous> (/project/helper.js:1:7)', 'Object.<anonymous> (/project/a.spec.js:1:1)'],
  '/project/helper.js',
)

describe('comesFrom', () => {
  it('finds the file that called the one that threw', () => {
    expect(comesFrom(broken, '/project/a.spec.js')).toBe(true)
    expect(comesFrom(broken, '/project/b.spec.js')).toBe(false)
    expect(comesFrom(broken, null)).toBe(false)
    expect(comesFrom({ location: { file: '/project/a.js', line: 1, column: 1 } }, '/project/a.js')).toBe(true)
    expect(comesFrom({ message: 'from nowhere' }, '/project/a.js')).toBe(false)
  })
})

describe('findLoadedFile', () => {
  it('is the test file, not the broken module that it imports', () => {
    expect(findLoadedFile(broken)).toBe('/project/a.spec.js')
  })

  it('is not a file of a dependency', () => {
    const inDependency = thrownAt(['go (/project/node_modules/x/index.js:1:1)'], '/project/a.spec.js')
    expect(findLoadedFile(inDependency)).toBe('/project/a.spec.js')
    const named = thrownAt(['go (/project/my_node_modules_2/index.js:1:1)'], '/project/a.spec.js')
    expect(findLoadedFile(named)).toBe('/project/my_node_modules_2/index.js')
  })

  it('is the location of Playwright without a stack', () => {
    expect(findLoadedFile({ location: { file: '/project/a.spec.js', line: 3, column: 1 } })).toBe(
      '/project/a.spec.js',
    )
  })

  it('is unknown when Playwright names no location', () => {
    expect(findLoadedFile({ message: 'Error: Cannot find module', stack: 'Error: Cannot find module' })).toBe(
      undefined,
    )
  })
})
