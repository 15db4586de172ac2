import { countPhases, readTestCounts, type RunDetail } from '@runledger/protocol'
import os from 'node:os'
import { expect } from 'vitest'
import type { ExpectedRun, Observation, Scenario } from './behaviour'
import type { Service } from '../support/service'
import { checkClocks } from './clocks'
import { withoutTold } from '../support/told-steps'
import { compareErrors } from './compare-errors'

/** Compares an observation with what the scenario says must be on record, and checks the invariant. */
export async function compare(scenario: Scenario, observation: Observation): Promise<void> {
  const { result, runs } = observation
  const output = `${result.stdout}\n${result.stderr}`
  expect(result.exitCode, output).toBe(scenario.exitCode)
  const compared = listCompared(scenario)
  const asked = scenario.runs.flatMap(({ steps }) => steps.map(([name]) => name))
  const recorded = runs.map((run) => ({ ...run, phases: withoutTold(run.phases, asked) }))
  expect(sortRecords(recorded.map((run) => describeRun(run, compared))), output).toEqual(
    sortRecords(
      scenario.runs.map((expected) => describeExpected(expected, findRun(recorded, expected), compared)),
    ),
  )
  for (const expected of scenario.runs) await compareLog(expected, observation)
  for (const run of runs) await compareRunErrors(run, scenario, observation)
  for (const run of runs) expect(readTestCounts(run.metadata), output).toEqual(countPhases(run))
  checkInvariant(scenario, observation)
  checkClocks(observation)
}

/** A failed execution has a failed run on record, and a passed one has none (packages/core/README.md#how-a-suite-is-recorded). */
function checkInvariant({ invariantException }: Scenario, { result, runs }: Observation): void {
  const hasFailedRun = runs.some(({ outcome }) => outcome === 'FAIL')
  const holds = hasFailedRun === (result.exitCode !== 0)
  expect(holds, 'the invariant holds, or there is an exception from it').toBe(
    invariantException === undefined,
  )
}

interface RecordedRun {
  file: string
  project: string
  outcome: string
  steps: string[]
  variables: Record<string, unknown>
  attachments: string[] | undefined
}

/** Names of the report variables that a scenario's runs are compared by. */
function listCompared({ runs }: Scenario): string[] {
  return [...new Set(runs.flatMap((run) => Object.keys({ ...countSteps(run), ...run.variables })))]
}

function describeRun(run: RunDetail, compared: readonly string[]): RecordedRun {
  return {
    file: String(run.metadata['file']),
    project: String(run.metadata['project'] ?? ''),
    outcome: run.outcome,
    steps: run.phases.map(({ name, outcome }) => `${outcome} ${name}`),
    variables: Object.fromEntries(compared.map((name) => [name, run.metadata[name]])),
    attachments: listAttachments(run),
  }
}

/** What is expected, with what it leaves open taken from the run that it is about. */
function describeExpected(
  expected: ExpectedRun,
  run: RunDetail | undefined,
  compared: readonly string[],
): RecordedRun {
  const steps = expected.steps.map(([name, verdict]) => `${verdict} ${name}`)
  const recorded = run && describeRun(run, compared)
  const isReordered = expected.unordered && recorded && sameTexts(steps, recorded.steps)
  return {
    file: expected.file,
    project: expected.project ?? '',
    outcome: expected.outcome,
    steps: isReordered ? recorded.steps : steps,
    variables: { ...recorded?.variables, ...countSteps(expected), ...expected.variables },
    attachments: expected.attachments?.toSorted() ?? recorded?.attachments,
  }
}

/** What the run must count where the scenario says nothing: what passed is a step, nothing was tried again. */
function countSteps({ steps }: ExpectedRun): Record<string, string> {
  const passed = steps.filter(([, verdict]) => verdict === 'PASS').length
  return { tests_passed: String(passed), tests_flaky: '0', retries: '0' }
}

/** The run of a file in a project; of several (shards) the one with the expected variables. */
function findRun(
  runs: readonly RunDetail[],
  { file, project = '', variables = {} }: ExpectedRun,
): RunDetail | undefined {
  const candidates = runs.filter(
    ({ metadata }) => metadata['file'] === file && String(metadata['project'] ?? '') === project,
  )
  const wanted = Object.entries(variables)
  return (
    candidates.find(({ metadata }) => wanted.every(([name, value]) => metadata[name] === value)) ??
    candidates[0]
  )
}

function listAttachments(run: RunDetail): string[] {
  return run.attachments
    .map(({ name }) => name)
    .filter((name) => name.includes('/') || !name.endsWith('.log'))
    .toSorted()
}

async function compareRunErrors(
  run: RunDetail,
  { files }: Scenario,
  { service, project }: Observation,
): Promise<void> {
  const log = await readLog(run, service)
  if (log === undefined) return
  compareErrors(run, { log, files, folders: [project.dir, os.homedir()] })
}

async function readLog(run: RunDetail, service: Service): Promise<string | undefined> {
  const name = run.attachments.find((attachment) => /^[^/]+\.log$/.test(attachment.name))?.name
  return name && (await service.download(run, name)).toString('utf8')
}

async function compareLog(expected: ExpectedRun, { runs, service }: Observation): Promise<void> {
  if (!expected.log) return
  const run = findRun(runs, expected)
  const log = run && (await readLog(run, service))
  if (log === undefined) throw new Error(`no log of ${expected.file}`)
  for (const part of expected.log) {
    if (typeof part === 'string') expect(log).toContain(part)
    else expect(log).toMatch(part)
  }
}

function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join('\n') === other.toSorted().join('\n')
}

function sortRecords(records: RecordedRun[]): RecordedRun[] {
  return records.toSorted((a, b) => (nameRecord(a) < nameRecord(b) ? -1 : 1))
}

function nameRecord({ file, project, steps, variables }: RecordedRun): string {
  return JSON.stringify([file, project, steps, variables])
}
