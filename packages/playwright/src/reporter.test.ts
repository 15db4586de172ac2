import type { FullConfig, Suite as PlaywrightSuite, TestCase, TestResult } from '@playwright/test/reporter'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RunledgerReporter } from './reporter'

const CONFIG = { configFile: '/project/playwright.config.ts', version: '1.65.1', shard: null } as FullConfig
const EMPTY_ROOT = { suites: [] as PlaywrightSuite[], allTests: () => [] as TestCase[] } as PlaywrightSuite
const ENDED = { status: 'passed', startTime: new Date(), duration: 1 } as const

/** Collects what is written to stderr until the test ends. */
function watchStderr(): string[] {
  const lines: string[] = []
  const write = process.stderr.write.bind(process.stderr)
  process.stderr.write = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0
  onTestFinished(() => {
    process.stderr.write = write
  })
  return lines
}

describe('RunledgerReporter', () => {
  it('leaves the terminal to a reporter that prints', () => {
    expect(new RunledgerReporter().printsToStdio()).toBe(false)
  })

  it('prints and changes nothing when no test ran', async () => {
    const lines = watchStderr()
    const reporter = new RunledgerReporter({ _mode: 'test' })
    reporter.onBegin(CONFIG, EMPTY_ROOT)
    expect(await reporter.onEnd(ENDED)).toBeUndefined()
    expect(lines).toEqual([])
  })

  it('keeps its own errors from the framework and reports the first one', async () => {
    const lines = watchStderr()
    const reporter = new RunledgerReporter({ _mode: 'test' })
    const broken = {} as TestResult
    reporter.onBegin(CONFIG, {} as PlaywrightSuite)
    reporter.onBegin(CONFIG, EMPTY_ROOT)
    reporter.onTestEnd({} as TestCase, broken)
    expect(await reporter.onEnd(ENDED)).toBeUndefined()
    expect(lines).toEqual([expect.stringMatching(/^Runledger: part of this execution is not on record: /)])
  })

  it('reports the first line of an error', () => {
    const lines = watchStderr()
    const root = {
      get suites(): PlaywrightSuite[] {
        throw new Error('Cannot find module\nRequire stack:\n- /project/x.js')
      },
    }
    new RunledgerReporter().onBegin(CONFIG, root as PlaywrightSuite)
    expect(lines).toEqual(['Runledger: part of this execution is not on record: Cannot find module\n'])
  })

  it('reports a wrong option, and an error of its own as well', async () => {
    const lines = watchStderr()
    const reporter = new RunledgerReporter({ stepDepth: -1 })
    reporter.onBegin(CONFIG, EMPTY_ROOT)
    reporter.onTestEnd({} as TestCase, {} as TestResult)
    expect(await reporter.onEnd(ENDED)).toBeUndefined()
    expect(lines).toEqual([
      'Runledger: option stepDepth cannot be -1: use a whole number, 0 or more\n',
      expect.stringMatching(/^Runledger: part of this execution is not on record: /),
    ])
  })

  it('ignores every call under --list', async () => {
    const lines = watchStderr()
    const reporter = new RunledgerReporter({ _mode: 'list' })
    reporter.onBegin(CONFIG, {} as PlaywrightSuite)
    reporter.onError({ message: 'Error: No tests found' })
    expect(await reporter.onEnd({ ...ENDED, status: 'failed' })).toBeUndefined()
    expect(lines).toEqual([])
  })
})
