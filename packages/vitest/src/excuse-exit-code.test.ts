import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { excuseExitCode } from './excuse-exit-code'

const exitCodeBefore = process.exitCode

beforeEach(() => {
  vi.stubEnv('RUNLEDGER_VERDICT_FILE', '/verdicts')
  process.exitCode = 1
})

afterEach(() => {
  vi.unstubAllEnvs()
  process.exitCode = exitCodeBefore
})

const EXCUSED = { isExcused: true } as const

it('removes the exit code of an excused execution', async () => {
  expect(await excuseExitCode(() => Promise.resolve(EXCUSED))).toBe(EXCUSED)
  expect(process.exitCode).toBeUndefined()
})

it('keeps the exit code that another reporter sets meanwhile', async () => {
  await excuseExitCode(() => {
    process.exitCode = 1
    return Promise.resolve(EXCUSED)
  })
  expect(process.exitCode).toBe(1)
})

it.each([
  ['is not excused', () => Promise.resolve({})],
  ['cannot be delivered', () => Promise.reject(new Error('disk full'))],
])('keeps the exit code of an execution that %s', async (_what, deliver) => {
  await excuseExitCode(deliver).catch(() => undefined)
  expect(process.exitCode).toBe(1)
})

it('fails while it delivers, so that an early end does not pass', async () => {
  let during: typeof process.exitCode
  await excuseExitCode(() => {
    during = process.exitCode
    return Promise.resolve(EXCUSED)
  })
  expect(during).toBe(101)
})

it('leaves the exit code alone without runledger run', async () => {
  vi.stubEnv('RUNLEDGER_VERDICT_FILE', undefined)
  let during: typeof process.exitCode
  await excuseExitCode(() => {
    during = process.exitCode
    return Promise.resolve({})
  })
  expect([during, process.exitCode]).toEqual([1, 1])
})

it('leaves another exit code alone', async () => {
  process.exitCode = 2
  await excuseExitCode(() => Promise.resolve(EXCUSED))
  expect(process.exitCode).toBe(2)
})
