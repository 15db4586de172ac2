import { expect, it } from 'vitest'
import type { BuildSummary, CreateRunRequest } from '@runledger/protocol'
import type { RunResult } from '../delivery/deliver-run'
import { findLink, formatDeliveryLine, formatFlakyLine, linkAddress } from './terminal-line'

it('is one sentence, whatever stops a service puts behind its own', () => {
  const response = { id: '1', url: 'https://ledger.example/runs/1' }
  const delivered = {
    status: 'delivered',
    passed: true,
    outsideLimits: 0,
    response,
    isComplete: false,
    problems: ['a.png: gone.'],
  }
  const failed = { status: 'failed', passed: true, error: new Error('It is too large.') }
  expect(formatDeliveryLine({ runs: [delivered, failed] as RunResult[] })).toBe(
    '1 run on record, passed: https://ledger.example/runs/1; 1 of 2 runs not sent: It is too large; not sent: a.png: gone.',
  )
})

it('reports values outside their limits in runs that passed', () => {
  const url = 'https://ledger.example/runs/1'
  const run = (passed: boolean, outsideLimits: number): RunResult => ({
    status: 'delivered',
    passed,
    outsideLimits,
    response: {
      id: '1',
      url,
      message: undefined,
      warnings: undefined,
      group_url: url,
      inline_attachments: undefined,
    },
    isComplete: true,
    problems: [],
  })
  expect(formatDeliveryLine({ runs: [run(true, 1)] })).toBe(
    `1 run on record, passed, 1 measurement outside its limits: ${url}`,
  )
  expect(formatDeliveryLine({ runs: [run(true, 2), run(true, 3), run(false, 0)] })).toBe(
    `3 runs on record, 2 passed with 5 measurements outside their limits, 1 failed: ${url}`,
  )
})

it('makes the address of a line a link, and leaves all else', () => {
  const url = 'https://ledger.example/runs/1?a=$&'
  expect(linkAddress(`Runledger: 1 run: ${url}\n`, url)).toBe(
    `Runledger: 1 run: \u001B]8;;${url}\u001B\\${url}\u001B]8;;\u001B\\\n`,
  )
  expect(linkAddress('Runledger: x\n', undefined)).toBe('Runledger: x\n')
  expect(linkAddress('x https://a\u0007b', 'https://a\u0007b')).toBe('x https://a\u0007b')
})

it('names the first three flaky tests, and counts the others', () => {
  const step = (name: string, ...outcomes: string[]) => ({
    name,
    step_passed: outcomes.at(-1) === 'PASS',
    attempts: outcomes.length > 1 ? outcomes.map((outcome) => ({ outcome })) : undefined,
  })
  const request = (...steps: object[]) => ({ steps }) as unknown as CreateRunRequest
  const others = [step('passes', 'PASS'), step('repeats', 'PASS', 'PASS'), step('fails', 'FAIL', 'FAIL')]
  expect(formatFlakyLine([request(...others)])).toEqual([])
  const retried = step('cart › adds\u001b[31m', 'FAIL', 'PASS')
  expect(formatFlakyLine([request(retried)])).toEqual(['1 flaky test: cart › adds'])
  const flaky = ['a', 'b', 'c', 'd', 'e'].map((name) => step(name, 'ERROR', 'PASS'))
  expect(formatFlakyLine([request(...flaky)])).toEqual(['5 flaky tests: a, b, c and 2 more'])
  const long = ['a', 'b', 'c', 'd'].map((name) =>
    step(`${name} is ${'long '.repeat(20)}› ${name}`, 'ERROR', 'PASS'),
  )
  const lines = formatFlakyLine([request(...long)])
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(/^flaky: a is long .*….* long › a$/)
  expect(lines[3]).toBe('1 more flaky test')
  for (const line of lines) expect(`Runledger: ${line}`.length).toBeLessThanOrEqual(80)
})

it('links the whole build, if there is one, though it has one run so far', () => {
  const response = { url: 'https://ledger.example/runs/1', group_url: 'https://ledger.example/groups/b' }
  const runs = [{ status: 'delivered', passed: true, response }] as RunResult[]
  const build = { state: 'running', missing: [] } as unknown as BuildSummary
  expect(findLink({ runs })).toBe(response.url)
  expect(findLink({ runs, build })).toBe(response.group_url)
})
