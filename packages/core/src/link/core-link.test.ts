import { describe, expect, it } from 'vitest'
import type { Execution } from '../execution'
import type { Suite } from '../suite'
import { CoreLink } from './core-link'

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
    finish: () =>
      Promise.resolve({ status: 'uploaded', runs: files.length, failedRuns: 0, url: '', notUploaded: [] }),
  }
}

describe('CoreLink', () => {
  it('opens no execution while there is nothing to put on record', async () => {
    let opened = 0
    const link = new CoreLink(
      () => {
        opened += 1
        return Promise.resolve(createExecution())
      },
      () => undefined,
    )
    expect(await link.finish()).toBeUndefined()
    expect(opened).toBe(0)
  })

  it('tells core everything in order before it finishes', async () => {
    const execution = createExecution()
    const link = new CoreLink(
      () => new Promise((resolve) => setTimeout(resolve, 5, execution)),
      expect.unreachable,
    )
    link.addSuite(suite)
    link.addProblem({ name: 'Global teardown', errors: [] })
    expect(await link.finish()).toMatchObject({ status: 'uploaded', runs: 2 })
    expect(execution.files).toEqual(['a.spec.ts', 'Global teardown'])
  })

  it('says once that core cannot be loaded, and rejects nothing', async () => {
    const lines: string[] = []
    const link = new CoreLink(
      () => Promise.reject(new Error('Cannot find package @runledger/core')),
      (line) => lines.push(line),
    )
    link.prepare()
    link.addSuite(suite)
    expect(await link.finish()).toBeUndefined()
    expect(lines).toEqual(['nothing is put on record: Cannot find package @runledger/core'])
  })

  it('survives an execution that throws', async () => {
    const lines: string[] = []
    const broken = {
      ...createExecution(),
      addSuite: () => {
        throw new Error('no room')
      },
    }
    const link = new CoreLink(
      () => Promise.resolve(broken),
      (line) => lines.push(line),
    )
    link.addSuite(suite)
    await link.finish()
    expect(lines).toHaveLength(1)
  })
})
