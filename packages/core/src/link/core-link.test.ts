import { describe, expect, it, vi } from 'vitest'
import type { Execution, ExecutionFacts } from '../execution'
import type { Suite } from '../model/suite'
import { CoreLink, type CoreLoader } from './core-link'

const FACTS: ExecutionFacts = { framework: 'x', frameworkVersion: '1', rootDir: '/project', startedAtMs: 0 }

const suite: Suite = {
  project: '',
  file: 'a.spec.ts',
  startedAtMs: 0,
  durationMs: 1,
  outcome: 'passed',
  tests: [],
  problems: [],
  output: [],
  attachments: [],
}

function createExecution(): Execution & { files: string[] } {
  const files: string[] = []
  return {
    files,
    addSuite: ({ file }) => void files.push(file),
    addProblem: ({ name }) => void files.push(name),
    prepareEnd: () => void 0,
    testsEnded: () => void 0,
    settled: () => Promise.resolve(void files.push('settled')),
    finish: () =>
      Promise.resolve({ status: 'uploaded', runs: files.length, failedRuns: 0, url: '', notUploaded: [] }),
  }
}

/** A link to an execution, and what it has told the user. */
function createLink(execution: Execution, load?: CoreLoader): { link: CoreLink; lines: string[] } {
  const lines: string[] = []
  const open = load ?? (() => Promise.resolve({ createExecution: () => execution }))
  const warn = (line: string) => void lines.push(line)
  return { link: new CoreLink({ load: open, facts: () => FACTS, options: {}, warn }), lines }
}

describe('CoreLink', () => {
  it('opens no execution while there is nothing to put on record', async () => {
    let loads = 0
    const { link } = createLink(createExecution(), () => {
      loads += 1
      return Promise.reject(new Error('nobody needs it'))
    })
    await link.settled()
    expect(await link.finish()).toBeUndefined()
    expect(loads).toBe(0)
  })

  it('tells core everything in order before it finishes', async () => {
    const execution = createExecution()
    const { link, lines } = createLink(
      execution,
      () => new Promise((resolve) => setTimeout(resolve, 5, { createExecution: () => execution })),
    )
    link.addSuite(suite)
    link.addProblem({ name: 'Global teardown', errors: [] })
    expect(await link.finish()).toMatchObject({ status: 'uploaded', runs: 2 })
    expect(execution.files).toEqual(['a.spec.ts', 'Global teardown'])
    expect(lines).toEqual([])
  })

  it('is settled only when core has every suite and says so', async () => {
    const execution = createExecution()
    const { link } = createLink(execution)
    link.addSuite(suite)
    link.addSuite({ ...suite, file: 'b.spec.ts' })
    await link.settled()
    expect(execution.files).toEqual(['a.spec.ts', 'b.spec.ts', 'settled'])
  })

  it('waits for a disk that hangs once, and not for long', async () => {
    vi.useFakeTimers()
    try {
      let asked = 0
      const { link } = createLink({
        ...createExecution(),
        settled: () => {
          asked += 1
          return new Promise(() => undefined)
        },
      })
      link.addSuite(suite)
      const first = link.settled()
      await vi.advanceTimersByTimeAsync(2_000)
      await first
      await link.settled()
      expect(asked).toBe(1)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('says once that core cannot be loaded, and rejects nothing', async () => {
    const { link, lines } = createLink(createExecution(), () =>
      Promise.reject(new Error('Cannot find package @runledger/core')),
    )
    link.prepare()
    link.addSuite(suite)
    await link.settled()
    expect(await link.finish()).toBeUndefined()
    expect(lines).toEqual(['nothing is put on record: Cannot find package @runledger/core'])
  })

  it('survives an execution that throws', async () => {
    const { link, lines } = createLink({
      ...createExecution(),
      addSuite: () => {
        throw new Error('no room')
      },
      prepareEnd: () => void 0,
      testsEnded: () => void 0,
      settled: () => Promise.reject(new Error('no room either')),
      finish: () => Promise.reject(new Error('nor here')),
    })
    link.addSuite(suite)
    await link.settled()
    expect(await link.finish()).toBeUndefined()
    expect(lines).toEqual(['a part of this execution is not on record: no room'])
  })
})
