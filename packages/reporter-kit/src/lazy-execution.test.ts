import { describe, expect, it, vi } from 'vitest'
import type { ExecutionFacts } from '@runledger/core'
import { FakeExecution } from '../../../test/support/fake-execution'
import { createSuite } from '../../../test/support/suites'
import { LazyExecution, type Core } from './lazy-execution'
import { HookGuard } from './hook-guard'

const FACTS: ExecutionFacts = { framework: 'x', frameworkVersion: '1', rootDir: '/project', startedAtMs: 0 }

/** A lazy execution, and the lines that it printed. */
function createLazy(execution: FakeExecution, load: () => Core = execution.load) {
  const lines: string[] = []
  const guard = new HookGuard((line) => void lines.push(line))
  return { lazy: new LazyExecution({ load, facts: () => FACTS, options: {}, guard }), lines }
}

describe('LazyExecution', () => {
  it('creates no execution while there is nothing to put on record', async () => {
    const execution = new FakeExecution()
    const { lazy } = createLazy(execution)
    await lazy.settled()
    expect(await lazy.finish()).toBeUndefined()
    expect(execution.created).toEqual([])
  })

  it('creates one execution for everything that is added', async () => {
    const execution = new FakeExecution()
    const { lazy, lines } = createLazy(execution)
    lazy.prepare()
    lazy.addSuite(createSuite({ file: 'a.spec.ts' }))
    lazy.addProblem({ name: 'Global teardown', errors: [] })
    await lazy.settled()
    expect(await lazy.finish()).toMatchObject({ status: 'uploaded' })
    expect(execution.created).toEqual([FACTS])
    expect(execution.suites.map(({ file }) => file)).toEqual(['a.spec.ts'])
    expect(execution.problems.map(({ name }) => name)).toEqual(['Global teardown'])
    expect(execution.settledCount).toBe(1)
    expect(lines).toEqual([])
  })

  it('waits once for a disk that hangs, and not for long', async () => {
    vi.useFakeTimers()
    try {
      const execution = new FakeExecution()
      let calls = 0
      execution.settled = () => {
        calls += 1
        return new Promise(() => undefined)
      }
      const { lazy } = createLazy(execution)
      lazy.addSuite(createSuite())
      const first = lazy.settled()
      await vi.advanceTimersByTimeAsync(2_000)
      await first
      await lazy.settled()
      expect(calls).toBe(1)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('tries to load core once, prints one line when that fails, and rejects nothing', async () => {
    let loads = 0
    const { lazy, lines } = createLazy(new FakeExecution(), () => {
      loads += 1
      throw new Error('Cannot find package @runledger/core\nRequire stack:\n- /p/a.cjs')
    })
    lazy.prepare()
    lazy.addSuite(createSuite())
    await lazy.settled()
    expect(await lazy.finish()).toBeUndefined()
    expect(loads).toBe(1)
    expect(lines).toEqual(['nothing is put on record: Cannot find package @runledger/core'])
  })

  it('survives an execution that throws', async () => {
    const execution = Object.assign(new FakeExecution(), {
      addSuite: () => {
        throw new Error('no room')
      },
      settled: () => Promise.reject(new Error('no room either')),
      finish: () => Promise.reject(new Error('nor here')),
    })
    const { lazy, lines } = createLazy(execution)
    lazy.addSuite(createSuite())
    await lazy.settled()
    expect(await lazy.finish()).toBeUndefined()
    expect(lines).toEqual(['part of this execution is not on record: no room'])
  })
})
