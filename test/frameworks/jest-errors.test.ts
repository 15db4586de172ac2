import { readFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { RunDetail, TestError } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject, listVersions, type Project } from '../support/project'
import { startService, type Service } from '../support/service'
import { createSnapshots, FAILURES_PROJECT, LIVE_PROJECT } from './jest-error-projects'

/** What is read of `jest --json`, which declares little of it. */
interface Assertion {
  ancestorTitles: string[]
  title: string
  status: string
  failureMessages: string[]
  failureDetails: { matcherResult?: Record<string, unknown> }[]
  location: { line: number; column: number } | null
  invocations?: number
  retryReasons?: string[]
}
interface JsonReport {
  testResults: { name: string; message: string; assertionResults: Assertion[] }[]
}

type Phase = RunDetail['phases'][number]

/** The texts of a report as they are on record: without colours, files relative to the project. */
const clean = (text: string, dir: string) =>
  stripVTControlCharacters(text).replaceAll(`${dir}${path.sep}`, '')

const isFrame = (line: string) => /^\s+at /.test(line)

/** The first frame of the project in a failure text. */
function findFrame(text: string): { file: string; line: number } | undefined {
  const [, file, line] = /^\s+at (?:.*\()?([\w.-]+\.js):(\d+):\d+\)?$/m.exec(text) ?? []
  return file === undefined ? undefined : { file, line: Number(line) }
}

/** Reads a printed value whose kinds JSON knows. */
const parsePrinted = (text: string): unknown => JSON.parse(text.replace(/,(\n *[}\]])/g, '$1'))

function expectError(
  error: TestError | undefined,
  text: string,
  matcherResult: Record<string, unknown> = {},
) {
  const recorded = `${error?.message}\n${error?.stack}`
  for (const line of text.split('\n').filter((each) => !isFrame(each) && each !== 'Error: '))
    expect(recorded).toContain(line)
  const frame = findFrame(text)
  expect(error?.location, text).toEqual(frame && { ...frame, column: expect.any(Number) })
  if (frame) expect(error?.snippet).toMatch(new RegExp(`^> +${frame.line} \\| `, 'm'))
  for (const name of ['expected', 'actual'] as const) {
    const [value, printed] = [matcherResult[name], error?.[name]]
    if (value === undefined || typeof value === 'string') expect(printed).toBe(value)
    else expect(parsePrinted(String(printed))).toEqual(value)
  }
}

function expectTest(phase: Phase, told: Assertion, { dir, file }: { dir: string; file: string }) {
  expect(phase.location).toEqual(told.location ? { file, ...told.location } : undefined)
  const errors = phase.errors ?? (phase.error ? [phase.error] : [])
  expect(errors, phase.name).toHaveLength(told.failureMessages.length)
  told.failureMessages.forEach((message, index) =>
    expectError(errors[index], clean(message, dir), told.failureDetails[index]?.matcherResult),
  )
  const { invocations = 1, retryReasons = [] } = told
  expect(phase.attempts?.length ?? 1).toBe(invocations)
  const earlier = phase.attempts?.slice(0, -1).flatMap((attempt) => attempt.errors ?? []) ?? []
  expect(earlier).toHaveLength(retryReasons.length)
  retryReasons
    .map((reason) => clean(reason, dir))
    .forEach((reason, index) => {
      // Of the values, the report has those of the last attempt alone.
      const [value] = /(?<=Received: )\d+/.exec(reason) ?? []
      const matcherResult = value === undefined ? {} : { expected: 3, actual: Number(value) }
      expectError(earlier[index], reason, matcherResult)
    })
}

describe.each(listVersions('jest'))('Jest %s', (version) => {
  let service: Service
  const projects: Project[] = []

  beforeAll(async () => {
    service = await startService()
  })
  afterAll(async () => {
    await service.stop()
    await Promise.all(projects.map((project) => project.remove()))
  })

  async function record(files: Record<string, string>, args: string[]) {
    const project = await createProject({ framework: 'jest', version, files })
    projects.push(project)
    const known = new Set((await service.readAllRuns()).map(({ id }) => id))
    const report = path.join(project.dir, 'report.json')
    const env = { FORCE_COLOR: '1' }
    await project.run({ service, env, args: ['--ci', '--json', `--outputFile=${report}`, ...args] })
    const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
    return { dir: project.dir, report, runs }
  }

  test('has every message, value, place and attempt of the JSON report on record', async () => {
    const files = { ...FAILURES_PROJECT, ...createSnapshots(version) }
    // A memory limit makes Jest use workers on any machine.
    const recorded = await record(files, ['--workerIdleMemoryLimit=1GB', '--maxWorkers=2'])
    const { dir, runs } = recorded
    const report: JsonReport = JSON.parse(readFileSync(recorded.report, 'utf8'))
    expect(runs).toHaveLength(report.testResults.length)
    for (const { name, message, assertionResults } of report.testResults) {
      const file = path.relative(dir, name)
      const run = runs.find(({ metadata }) => metadata['file'] === file)
      const ran = assertionResults.filter(({ status }) => ['passed', 'failed'].includes(status))
      ran.forEach((told, index) => expectTest(run?.phases[index] as Phase, told, { dir, file }))
      const problems = run?.phases.slice(ran.length) ?? []
      expect(problems, file).toHaveLength(ran.length === 0 || file === 'hooks.test.js' ? 1 : 0)
      for (const problem of problems) {
        expect(problem.kind).toBe(file === 'hooks.test.js' ? 'hook' : 'suite')
        const [line = ''] = problem.error?.message.replace(/^Error: /, '').split('\n') ?? []
        expect(clean(message, dir)).toContain(line)
        expect(problem.error?.location?.file).toBe(file)
      }
    }
    // Jest 29 has it in no field of the report.
    const caused = runs.flatMap(({ phases }) => phases).find(({ name }) => name === 'a cause')
    expect(caused?.error?.stack).toMatch(/^\[cause\]: TypeError: middle$[^]*^\[cause\]: innermost$/m)
    const stored = JSON.stringify(runs)
    expect(stored).not.toContain(dir)
    expect(stored).not.toContain(String.raw`\u001b`)
  })

  test('has values and causes of the same process on record, and runs no code of theirs', async () => {
    const { runs } = await record(LIVE_PROJECT, ['--runInBand'])
    const errors = Object.fromEntries(
      runs.flatMap(({ phases }) => phases.map(({ name, error }) => [name, error])),
    )
    expect(errors).toMatchObject({
      'an asymmetric matcher': { diff: expect.stringContaining('-   "a": Any<Number>,\n+   "a": "x",') },
      'a map': { diff: expect.stringContaining('-   "a" => 2,\n+   "a" => 1,') },
      'a value within itself': { actual: '{\n  "self": [Circular],\n  "x": 1,\n}' },
      'a getter that throws': { actual: '{\n  "size": [Getter],\n}', expected: '1' },
      'a cause that is an object': { stack: expect.stringContaining('[cause]: {\n  "code": "E_CABLE",\n}') },
    })
  })
})
