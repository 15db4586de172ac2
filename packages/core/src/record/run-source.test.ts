import { describe, expect, it } from 'vitest'
import { collectRunSources, createSuite, createTest } from '../../../../test/support/suites'
import type { Suite } from '../model/suite'
import { EXECUTION_FILE, isOnRecord, isPassed, RunSources, type RunSource } from './run-source'

const sourceOf = (...suites: Suite[]): RunSource => ({ project: '', file: 'a', suites, namesFiles: true })
const skipped = createTest(['skipped'], { outcome: 'skipped', attempts: [] })
const problem = { name: 'Unhandled error', errors: [] }

describe('isPassed', () => {
  it('is true only of a run all of whose suites passed without a problem', () => {
    const good = createSuite()
    expect(isPassed(sourceOf(good, good))).toBe(true)
    expect(isPassed(sourceOf(good, createSuite({ outcome: 'failed' })))).toBe(false)
    expect(isPassed(sourceOf(good, createSuite({ problems: [problem] })))).toBe(false)
  })
})

describe('isOnRecord', () => {
  it('is true as soon as one suite has run, failed or a problem', () => {
    const silent = createSuite({ tests: [skipped] })
    expect(isOnRecord(sourceOf(silent))).toBe(false)
    expect(isOnRecord(sourceOf(silent, createSuite({ tests: [skipped, createTest(['ran'])] })))).toBe(true)
    expect(isOnRecord(sourceOf(silent, createSuite({ tests: [], problems: [problem] })))).toBe(true)
    expect(isOnRecord(sourceOf(silent, createSuite({ tests: [], outcome: 'failed' })))).toBe(true)
  })
})

describe('RunSources', () => {
  const suites = [
    createSuite({ project: 'one', file: 'a' }),
    createSuite({ project: 'one', file: 'b' }),
    createSuite({ project: '', file: EXECUTION_FILE }),
  ]

  it('gathers the suites of a project, those of the execution apart', () => {
    expect(collectRunSources(suites, 'project')).toMatchObject([
      { project: 'one', file: 'one', suites: [{ file: 'a' }, { file: 'b' }], namesFiles: true },
      { project: '', file: EXECUTION_FILE, suites: [{ file: EXECUTION_FILE }], namesFiles: false },
    ])
  })

  it('gathers all of them for the execution', () => {
    expect(collectRunSources(suites, 'execution')).toMatchObject([
      { project: '', file: EXECUTION_FILE, suites: [{}, {}, {}], namesFiles: true },
    ])
  })

  it.each([
    ['suite', false],
    ['project', true],
    ['execution', true],
  ] as const)('shows per %s whether other suites may join the run', (runPer, isShared) => {
    expect(new RunSources(runPer).add(createSuite({ project: 'one' }))).toMatchObject({ isShared })
  })

  it.each(['suite', 'project'] as const)('finds a suite again when it was masked since, per %s', (runPer) => {
    const sources = new RunSources(runPer)
    const suite = createSuite({ project: 'bench-7', file: 'bench-7.test.ts' })
    const { key, source } = sources.add(suite)
    Object.assign(suite, { project: '***', file: '***.test.ts' })
    const again = sources.add(suite)
    expect(again.key).toBe(key)
    expect(again.source).toEqual(source)
    expect(again.source).toMatchObject({ project: 'bench-7', suites: [suite] })
  })
})
