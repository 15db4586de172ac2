import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { inspect, stripVTControlCharacters } from 'node:util'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject, listVersions, type Project } from '../support/project'
import { startService, type Service } from '../support/service'
import { ERROR_PROJECT, SECRET } from './vitest-error-project'

type Phase = RunDetail['phases'][number]
type StoredError = NonNullable<Phase['error']>
interface Place {
  file: string
  line: number
  column: number
}

/** What the reporter of the project wrote. */
interface ToldError {
  name?: string
  message?: string
  expected?: unknown
  actual?: unknown
  diff?: string
  /** Inner errors, then causes. */
  chain: ToldError[]
  place?: Place
}
interface ToldTest {
  name: string
  state: string
  note?: string
  location?: { line: number; column: number }
  tags?: string[]
  retryCount: number
  errors: ToldError[]
  /** Since Vitest 5. */
  attempts?: { state: string; errors: ToldError[] }[]
}
interface Told {
  modules: { file: string; isTypecheck: boolean; errors: ToldError[]; tests: ToldTest[] }[]
  unhandled: ToldError[]
}

/** What is read of Vitest's JSON report. */
interface JsonReport {
  testResults: {
    name: string
    message: string
    assertionResults: {
      ancestorTitles: string[]
      title: string
      failureMessages: (string | null)[]
      location?: { line: number; column: number }
      tags?: string[]
    }[]
  }[]
}

const errorsOf = ({ errors, error }: Phase): StoredError[] => errors ?? (error ? [error] : [])

/** Message and chain of an error, and whatever of it is text. */
const textOf = (error: StoredError) => [error.message, error.stack].join('\n')

describe.each(listVersions('vitest'))('what is stored of failures in Vitest %s', (version) => {
  const major = Number.parseInt(version, 10)
  let service: Service
  let project: Project
  let runs: RunDetail[]
  let told: Told
  let report: JsonReport

  /** Texts without colours, folders of the machine and secrets, as they may be stored. */
  const clean = (text: string) =>
    stripVTControlCharacters(text).replaceAll(`${project.dir}/`, '').replaceAll(SECRET, '***')

  beforeAll(async () => {
    service = await startService()
    project = await createProject({ framework: 'vitest', version, files: ERROR_PROJECT })
    await project.run({ service, env: { BENCH_TOKEN: SECRET } })
    runs = await service.readAllRuns()
    told = JSON.parse(await readFile(path.join(project.dir, 'told.json'), 'utf8'))
    report = JSON.parse(await readFile(path.join(project.dir, 'report.json'), 'utf8'))
  })
  afterAll(async () => {
    await service.stop()
    await project.remove()
  })

  function findRun(file: string, isTypecheck = false): RunDetail {
    const found = runs.filter(({ metadata }) => metadata['file'] === file)
    const run = isTypecheck ? found.find(({ metadata }) => metadata['project'] === 'typecheck') : found[0]
    if (!run) throw new Error(`no run of ${file}`)
    return run
  }

  function findPhase(name: string, file = 'failures.test.ts'): Phase {
    const phase = findRun(file).phases.find((each) => each.name === name)
    if (!phase) throw new Error(`no phase ${name} in ${file}`)
    return phase
  }

  function expectSame(stored: readonly StoredError[], errors: readonly ToldError[]): void {
    expect(stored.map(({ message }) => message)).toHaveLength(errors.length)
    errors.forEach((error, index) => expectParts(stored[index] as StoredError, error))
  }

  function expectParts(stored: StoredError, error: ToldError): void {
    const { message, place, chain, name = '' } = error
    expect(stored.message).toContain(clean(message ?? ''))
    expect(stored.message).toContain(name)
    if (place) expect(stored.location).toEqual(place)
    if (place) expect(stored.snippet).toMatch(new RegExp(`^> *${place.line} \\|`, 'm'))
    for (const inner of chain) expectInChain(stored, inner)
    // Vitest 3 tells in the cause what `expect.poll` has compared.
    const compared = [error, ...chain].find(({ diff }) => diff !== undefined) ?? error
    expect(stored.diff).toBe(compared.diff === undefined ? undefined : clean(compared.diff))
    expect(stored.expected).toBe(print(compared.expected))
    expect(stored.actual).toBe(print(compared.actual))
  }

  const print = (value: unknown) =>
    value === undefined ? undefined : clean(typeof value === 'string' ? value : inspect(value))

  function expectInChain(stored: StoredError, { message = '', place, chain }: ToldError): void {
    expect(stored.stack).toContain(clean(message))
    if (place) expect(stored.stack).toContain(`${place.file}:${place.line}:${place.column}`)
    for (const inner of chain) expectInChain(stored, inner)
  }

  const listTests = () =>
    told.modules.flatMap(({ tests, file, isTypecheck }) =>
      tests.map((each) => ({ ...each, file, isTypecheck })),
    )

  test('every error that the reporter API tells of a test is stored, with each of its parts', () => {
    const failed = listTests().filter(({ state }) => state === 'failed')
    expect(failed.length).toBeGreaterThan(30)
    for (const { name, file, errors, attempts, retryCount } of failed) {
      const last = attempts?.at(-1)?.errors ?? (retryCount > 0 ? errors.slice(-1) : errors)
      expectSame(errorsOf(findPhase(name, file)), last)
    }
  })

  test('every attempt is stored with its errors', () => {
    const [retried, flaky] = [findPhase('retried'), findPhase('flaky')]
    expect(retried.attempts?.map(({ outcome }) => outcome)).toEqual(['FAIL', 'FAIL', 'FAIL'])
    expect(flaky.attempts?.map(({ outcome }) => outcome)).toEqual(['FAIL', 'PASS'])
    for (const { name, attempts = [] } of [retried, flaky]) {
      const stored = attempts.slice(0, -1).flatMap(({ errors = [] }) => errors)
      const { errors = [] } = listTests().find((each) => each.name === name) ?? {}
      expectSame(stored, name === 'retried' ? errors.slice(0, -1) : errors)
    }
    expect(flaky.error).toBeUndefined()
  })

  test('every error of a hook, of loading and of a type check is stored, with what it is', () => {
    for (const { file, errors, isTypecheck } of told.modules) {
      const problems = findRun(file, isTypecheck).phases.filter(
        ({ kind, name }) => kind !== 'test' && name !== 'Unhandled error',
      )
      expectSame(problems.flatMap(errorsOf), errors)
      const isHook = file === 'hooks.test.ts'
      expect(problems.every(({ kind }) => kind === (isHook ? 'hook' : 'suite'))).toBe(true)
    }
    const unhandled = findPhase('Unhandled error', 'unhandled.test.ts')
    expect(unhandled.kind).toBe('suite')
    expectSame(errorsOf(unhandled), told.unhandled)
  })

  test('every message of Vitest’s own JSON report is stored, and where each test is declared', () => {
    for (const { name: absolute, message, assertionResults } of report.testResults) {
      const file = path.relative(project.dir, absolute)
      const run = findRun(file)
      if (message) expect(run.phases.flatMap(errorsOf).map(textOf).join('\n')).toContain(clean(message))
      if (file === 'types.test-d.ts') continue
      for (const { ancestorTitles, title, failureMessages, location, tags = [] } of assertionResults) {
        const name = [...ancestorTitles, title].join(' › ')
        const stored = run.phases.find((each) => each.name === name)
        const skipped = run.skipped?.find((each) => each.name === name)
        expect((stored ?? skipped)?.location).toEqual({ file, ...location })
        expect((stored ?? skipped)?.tags ?? []).toEqual(tags)
        const texts = [
          ...(stored?.attempts ?? []).flatMap(({ errors = [] }) => errors),
          ...(stored ? errorsOf(stored) : []),
        ]
        for (const line of failureMessages.flatMap(firstWords))
          expect(texts.map(textOf).join('\n')).toContain(line)
      }
    }
  })

  /** The message of a stack. Of a time-out Vitest 3 and 4 report none, of a record that was thrown nothing at all. */
  function firstWords(message: string | null): string[] {
    const line = clean(message ?? '').split('\n', 1)[0] ?? ''
    return line === '' || line.includes('STACK_TRACE_ERROR') ? [] : [line.replace(/^\w*Error: /, '')]
  }

  test('tests that did not run are stored with their reasons', () => {
    const { skipped = [] } = findRun('failures.test.ts')
    expect(skipped.map(({ name, reason }) => [name, reason])).toEqual([
      ['skips itself', 'no device'],
      ['is skipped', undefined],
    ])
  })

  test('the owner of a test is stored, and its tags since Vitest 4.1', () => {
    const { owner, tags } = findPhase('belongs to somebody')
    expect(owner).toBe('@power-team')
    expect(tags).toEqual(major >= 4 ? ['slow'] : undefined)
  })

  test('the chain of causes is stored with every place', () => {
    const { stack = '' } = findPhase('causes').error ?? {}
    expect(stack).toMatch(
      /Caused by: TypeError: no rig\n(?: .*\n)*Caused by: RangeError: rig 7 does not answer/,
    )
    expect(stack).toContain('at load (src/load.ts:6:9)')
    expect(findPhase('throws elsewhere').error?.location).toEqual({ file: 'src/load.ts', line: 6, column: 9 })
  })

  test('no colour, folder of the machine or secret is stored', () => {
    const stored = JSON.stringify(runs.map(({ phases, skipped }) => ({ phases, skipped })))
    expect(stored).not.toContain('\\u001b')
    expect(stored).not.toContain(project.dir)
    expect(stored).not.toContain(SECRET)
  })
})
