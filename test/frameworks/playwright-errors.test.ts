import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Phase, RunDetail, TestError } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand, type Project } from '../support/project'
import { ERROR_PROJECT, LOAD_ERROR_PROJECT, PICTURE_PROJECT } from './playwright-error-project'
import {
  Executions,
  fileOf,
  listTestedVersions,
  NEWEST,
  OLDEST,
  only,
  type Recorded,
} from './playwright-executions'
import {
  readReport,
  type Place,
  type ReportedResult,
  type ReportedStep,
  type ReportedTest,
} from './playwright-report'

const VERSIONS = listTestedVersions('errors')

describe.each(VERSIONS)('Playwright %s', (version) => {
  let executions: Executions
  let project: Project
  let recorded: Recorded
  let reported: ReportedTest[]

  beforeAll(async () => {
    executions = await Executions.start(version)
    project = await executions.open(ERROR_PROJECT)
    recorded = await executions.record(project)
    reported = readReport(project.dir).tests
  })
  afterAll(() => executions.stop())

  const runOf = (file: string): RunDetail =>
    only(recorded.runs.filter((run) => fileOf(run) === `tests/${file}`))
  const phaseOf = ({ file, name }: ReportedTest): Phase => findPhase(runOf(file), name)
  const listRan = (): ReportedTest[] =>
    reported.filter(
      ({ status, results }) => status !== 'skipped' && results.some(({ workerIndex }) => workerIndex >= 0),
    )

  test('every error of each attempt is on record: its text, its code and its place', () => {
    const ran = listRan()
    expect(ran.length, recorded.stdout).toBeGreaterThan(30)
    for (const each of ran) {
      const attempts = listAttempts(phaseOf(each), each)
      expect(attempts.length, each.name).toBe(each.results.length)
      for (const [index, result] of each.results.entries()) {
        const isLast = index === each.results.length - 1
        // A step that passed has no error: that of an expected failure is in the log alone.
        if (!isLast || each.status === 'unexpected') expectErrors(attempts[index] ?? [], result, project.dir)
      }
    }
  })

  test('each test has its place, tags and owner on record', () => {
    for (const each of listRan())
      expect(phaseOf(each).location, each.name).toEqual({
        file: `tests/${each.file}`,
        line: each.line,
        column: each.column,
      })
    const { tags, owner } = findPhase(runOf('marks.spec.js'), 'is marked')
    const isOldest = version === OLDEST
    expect([tags, owner]).toEqual(isOldest ? [undefined, undefined] : [['@fast', '@bench', 'issue'], '@team'])
  })

  test('tests that did not run are on record with the reasons of their authors', () => {
    expect(runOf('marks.spec.js').skipped?.map(({ name, reason }) => [name, reason])).toEqual([
      ['is skipped', 'no bench here'],
      ['is to be mended', 'broken since June'],
      ['is to be mended some day', 'fixme'],
    ])
    expect(runOf('hooks.spec.js').skipped).toMatchObject([
      { name: 'before all › never begins', location: { file: 'tests/hooks.spec.js' } },
    ])
  })

  test('a step that failed has its own error, below its test', () => {
    const steps = reported.flatMap((each) => listSteps(each))
    expect(steps.map(({ name }) => name)).toContain('throws in steps › outer › inner')
    for (const { file, name, step } of steps) {
      const phase = findPhase(runOf(file), name)
      expect(phase.kind).toBe('step')
      if (step.error === undefined) expect(phase.error).toBeUndefined()
      else expect(phase.error?.message).toBe(clean(step.error.message ?? step.error.value ?? '', project.dir))
    }
  })

  test('a test that hung or ended its worker within a step has the place of the innermost step', () => {
    const placeOf = (file: string, name: string) => findPhase(runOf(file), name).error
    const hanging = placeOf('slow.spec.js', 'hangs in a step')
    expect(hanging?.location).toMatchObject({ file: 'tests/slow.spec.js', line: 6 })
    expect(hanging?.snippet).toMatch(/> 6 \|.*waits for the relay/)
    expect(placeOf('slow.spec.js', 'hangs in a fixture')?.location).toMatchObject({ line: 4 })
    expect(placeOf('thrown.spec.js', 'ends its worker')?.snippet).toMatch(/> \d+ \|.*pulls the plug/)
    expect(findPhase(runOf('slow.spec.js'), 'hangs in a step › outer › waits for the relay').outcome).toBe(
      'FAIL',
    )
  })

  test('a test that passed against expectation says so', () => {
    const { error } = findPhase(runOf('assertions.spec.js'), 'passes against expectation')
    expect(error?.message).toBe('Expected to fail, but passed.')
  })

  test('no error on record has an escape sequence or a folder of the machine', () => {
    const text = JSON.stringify(recorded.runs.map(({ phases, skipped }) => [phases, skipped]))
    expect(text).not.toContain('\\u001b')
    expect(text).not.toContain(project.dir)
    expect(text).not.toContain('/node_modules/playwright/lib')
  })

  test('merged reports have the same on record', async () => {
    await project.run({ args: ['--reporter=blob'] })
    const cli = path.join(project.dir, 'node_modules/@playwright/test/cli.js')
    const args = [cli, 'merge-reports', '-c', 'playwright.config.js', 'blob-report']
    const { runs, stderr } = await executions.record(project, {}, (options) =>
      runCommand(process.execPath, args, { dir: project.dir, ...options }),
    )
    expect(runs.flatMap(describeRun).toSorted(), stderr).toEqual(
      recorded.runs.flatMap(describeRun).toSorted(),
    )
  })

  test('each file that cannot be loaded has its error on record, with its place and its code', async () => {
    const broken = await executions.open(LOAD_ERROR_PROJECT)
    const { runs } = await executions.record(broken)
    const { errors } = readReport(broken.dir)
    expect(errors).toHaveLength(4)
    for (const { message, location, snippet } of errors) {
      const file = toOwn(location, broken.dir)?.file
      const { kind, error } = findPhase(
        only(runs.filter((run) => fileOf(run) === file)),
        'Suite failed to load',
      )
      expect(kind).toBe('suite')
      expect(error?.message).toBe(clean(message, broken.dir))
      expect(error?.location).toEqual(toOwn(location, broken.dir))
      expect(error?.snippet?.trim()).toBe(clean(snippet ?? '', broken.dir))
    }
  })
})

test.each(VERSIONS.filter((version) => version === OLDEST || version === NEWEST))(
  'Playwright %s: the pictures of a screenshot that differs have names that belong together',
  { tags: ['chromium'] },
  async (version) => {
    const executions = await Executions.start(version as string)
    try {
      const project = await executions.open(PICTURE_PROJECT)
      const env = { PANEL_COLOR: 'green' }
      const drawn = await executions.record(project, { env, args: ['--update-snapshots'] })
      expect(drawn.exitCode, drawn.stdout).toBe(0)
      const { runs, stdout } = await executions.record(project)
      const names = only(runs).attachments.map(({ name }) => name)
      expect(names, stdout).toEqual(
        expect.arrayContaining(['expected', 'actual', 'diff'].map((role) => `draws/panel-${role}.png`)),
      )
    } finally {
      await executions.stop()
    }
  },
)

/** What is the same in each execution of the project. */
function describeRun(run: RunDetail): string[] {
  return [...run.phases, ...(run.skipped ?? [])].map((each) => {
    const { errors, error, attempts, outcome, ...facts } = each as Partial<Phase>
    const all = [
      ...(attempts ?? []).flatMap((attempt) => attempt.errors ?? []),
      ...(errors ?? (error ? [error] : [])),
    ]
    const places = all.map(({ message, location, snippet }) => [message.split('\n', 1), location, snippet])
    return JSON.stringify([fileOf(run), facts.name, outcome, facts.location, facts.tags, facts.owner, places])
  })
}

function findPhase({ phases }: RunDetail, name: string): Phase {
  const phase = phases.find((each) => each.name === name)
  if (phase === undefined) throw new Error(`no step ${name} in ${phases.map((each) => each.name).join(', ')}`)
  return phase
}

/** The errors of each attempt on record. */
function listAttempts({ attempts, error, errors }: Phase, { results }: ReportedTest): TestError[][] {
  const last = errors ?? (error ? [error] : [])
  if (results.length === 1) return [last]
  return (attempts ?? []).map((attempt, index, all) =>
    index === all.length - 1 ? last : (attempt.errors ?? []),
  )
}

function expectErrors(
  stored: TestError[],
  { errors, error: first, status }: ReportedResult,
  dir: string,
): void {
  // Playwright's report of a test that passed against expectation has no error.
  if (status !== 'passed') expect(stored.length).toBe(errors.length)
  for (const [index, { message, location }] of errors.entries()) {
    const error = stored[index]
    const own = listLines([error?.message, error?.snippet, error?.stack].join('\n'))
    const printed = clean(message, dir).replaceAll('[cause]:', 'Caused by:')
    expect(listLines(printed).filter((line) => !own.includes(line))).toEqual([])
    if (location !== undefined) expect(error?.location).toEqual(toOwn(location, dir))
  }
  if (first?.snippet !== undefined) expect(stored[0]?.snippet?.trim()).toBe(clean(first.snippet, dir))
  const { expected, actual } = first?.matcherResult ?? {}
  if (typeof expected === 'number')
    expect(stored[0]).toMatchObject({ expected: `${expected}`, actual: `${actual}` })
}

function listLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Without escape sequences, paths as they are on record. */
function clean(text: string, dir: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(`${dir}/`, '')
    .replaceAll(/[^\s(]*\/node_modules\//g, 'node_modules/')
    .trim()
}

function toOwn(location: Place | undefined, dir: string): Partial<Place> | undefined {
  if (location === undefined) return undefined
  const { file, line, column } = location
  // Up to 1.50, the column of a syntax error is counted from 0.
  return { file: file.replace(`${dir}/`, ''), line, ...(column > 0 && { column }) }
}

function listSteps({
  file,
  name,
  results,
}: ReportedTest): { file: string; name: string; step: ReportedStep }[] {
  const list = (steps: ReportedStep[] = [], within: string): ReturnType<typeof listSteps> =>
    steps.flatMap((step) => {
      const own = `${within} › ${step.title}`
      return [{ file, name: own, step }, ...list(step.steps, own)]
    })
  return list(results.at(-1)?.steps, name)
}
