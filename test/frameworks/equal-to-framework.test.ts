import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseDurationUs, type Phase, type RunDetail, type VerdictList } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listNodes, type NodeRelease } from '../support/nodes'
import { createProject, listVersions, neededNode, newestVersion, type Framework } from '../support/project'
import { startService, type Service } from '../support/service'
import {
  createFiles,
  NODE_FILES,
  NODE_TEST_FILES,
  type ReportedTest,
  READ_REPORT,
} from './equal-to-framework-projects'
import { createNodeProject } from './node-test-projects'

const isWhole = process.env['SOAK_CASES'] === 'all'
const NODES = listNodes()

interface Case {
  framework: Framework
  version: string
  major: number
  node: NodeRelease
}

/** In CI the newest version of each framework, on this Node; `npm run soak -- cases` runs every version on every Node. */
function listCases(): Case[] {
  const frameworks: Framework[] = ['jest', 'vitest', 'playwright']
  return frameworks.flatMap((framework) => {
    const versions = isWhole ? listVersions(framework) : [newestVersion(framework)]
    return versions.flatMap((version) => {
      const nodes = NODES.filter(({ major }) => major >= Number(neededNode(framework, version) ?? 0))
      return (isWhole ? nodes : nodes.slice(0, 1)).map((node) => ({
        framework,
        version,
        major: node.major,
        node,
      }))
    })
  })
}

const ARGS = { jest: ['--json', '--outputFile=report.json'], vitest: [], playwright: [] }

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
})

async function readNewRuns(execute: () => Promise<unknown>): Promise<RunDetail[]> {
  const known = new Set((await service.listRuns()).map(({ id }) => id))
  await execute()
  const runs = await service.readAllRuns()
  return runs.filter(({ id }) => !known.has(id))
}

const toMs = (duration: string) => (parseDurationUs(duration) ?? NaN) / 1000
const listTests = (run: RunDetail | undefined) => run?.phases.filter(({ kind }) => kind === 'test') ?? []
const fileOf = (run: RunDetail) => String(run.metadata['file'])

/** Equal names are numbered as the framework lists its tests. */
function number(reported: readonly ReportedTest[]): ReportedTest[] {
  const counts = new Map<string, number>()
  return reported.map((each) => {
    const count = (counts.get(each.name) ?? 0) + 1
    counts.set(each.name, count)
    return count === 1 ? each : { ...each, name: `${each.name} (${count})` }
  })
}

/** Names, verdicts and durations are the framework's own, and where it says when tests began, so is their order. */
function expectEqual(run: RunDetail | undefined, reported: readonly ReportedTest[]): void {
  const numbered = number(reported)
  const tests = listTests(run)
  const describeEach = ({ name, passed }: Pick<ReportedTest, 'name' | 'passed'>) =>
    `${passed ? 'PASS' : 'FAIL'} ${name}`
  const recorded = tests.map(({ name, outcome }) => `${outcome} ${name}`)
  expect(recorded.toSorted()).toEqual(numbered.map(describeEach).toSorted())
  const timed = numbered.filter(({ startedAtMs }) => startedAtMs !== undefined)
  const names = new Set(timed.map(({ name }) => name))
  const ordered = timed.toSorted((a, b) => (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0))
  expect(tests.map(({ name }) => name).filter((name) => names.has(name))).toEqual(
    ordered.map(({ name }) => name),
  )
  for (const reportedTest of numbered)
    expectDuration(
      tests.find(({ name }) => name === reportedTest.name),
      reportedTest,
    )
}

function expectDuration(
  phase: Phase | undefined,
  { name, durationMs, isOfLast, slackMs = 1 }: ReportedTest,
): void {
  const attemptsMs = (phase?.attempts ?? []).map(({ duration }) => toMs(duration))
  const wholeMs = toMs(phase?.duration ?? '')
  const comparedMs = isOfLast ? (attemptsMs.at(-1) ?? NaN) : wholeMs
  expect(
    Math.abs(comparedMs - durationMs),
    `${name}: ${comparedMs} ms, reported ${durationMs} ms`,
  ).toBeLessThanOrEqual(slackMs)
  if (isOfLast) expect(wholeMs, name).toBe(attemptsMs.reduce((sum, each) => sum + each, 0))
}

describe.each(listCases())('$framework $version on Node $major', ({ framework, version, node }) => {
  test('durations, order and names are those of its own report', async () => {
    const project = await createProject({ framework, version, files: createFiles(framework, version) })
    try {
      const [run] = await readNewRuns(() =>
        project.run({ service, node: node.binary, args: ARGS[framework] }),
      )
      const text = readFileSync(path.join(project.dir, 'report.json'), 'utf8')
      expectEqual(run, READ_REPORT[framework](JSON.parse(text) as object))
      const measured = run?.phases
        .filter(({ kind }) => kind === 'measurement')
        .map(({ name, outcome }) => [name, outcome])
      expect(measured).toEqual([['measures › volts', 'FAIL']])
      expect(listTests(run).find(({ name }) => name === 'is flaky')?.attempts).toHaveLength(3)
    } finally {
      await project.remove()
    }
  })
})

describe.each(NODES)('node:test on Node $major', ({ major, binary: node }) => {
  const args = ['--test', '--test-concurrency=2', '--test-reporter=@runledger/node-test']
  const reporters = [
    '--test-reporter-destination=stdout',
    '--test-reporter=./dump.mjs',
    '--test-reporter-destination=report.jsonl',
  ]

  test('durations, order and names are those of its own events, also of a file that is reported late', async () => {
    const project = await createNodeProject(NODE_FILES)
    try {
      const runs = await readNewRuns(() =>
        project.run({ node, service, args: [...args, ...reporters, ...NODE_TEST_FILES] }),
      )
      expect(runs.map(fileOf).toSorted()).toEqual(NODE_TEST_FILES)
      const lines = readFileSync(path.join(project.dir, 'report.jsonl'), 'utf8').trim().split('\n')
      const reported = lines.map((line) => JSON.parse(line) as ReportedTest)
      const run = runs.find((each) => fileOf(each) === 'b.test.mjs')
      expectEqual(
        run,
        reported.filter(({ name }) => !name.startsWith('first')),
      )
      expect(listTests(run).map(({ name }) => name)).toEqual([
        'same',
        'same (2)',
        'parent',
        'parent › same',
        'parent › same (2)',
        'side',
        'side › by',
        'side › by (2)',
      ])
      checkTimes(run)
    } finally {
      await project.remove()
    }
  })

  test('a test whose equal namesake takes turns with it in time keeps its name, and is already failing', async () => {
    const project = await createNodeProject(NODE_FILES)
    try {
      const run = async (waits: string) => {
        const env = { WAITS: waits, ...buildVariables(`order-${major}`, waits) }
        let stderr = ''
        const runs = await readNewRuns(async () => {
          const pair = ['--test', '--test-reporter=@runledger/node-test', 'a.test.mjs', 'pair.test.mjs']
          stderr = (await project.run({ node, service, env, args: pair })).stderr
        })
        return { failed: await listFailed(runs), stderr }
      }
      expect((await run('20,200')).failed).toEqual([['same (2)', 'first_seen']])
      const second = await run('200,20')
      expect(second.failed).toEqual([['same (2)', 'already_failing']])
      expect(second.stderr).toContain('(1 failure: already failing)')
    } finally {
      await project.remove()
    }
  })
})

/** A build of a branch on GitHub. */
function buildVariables(branch: string, build: string): Record<string, string> {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_REF: `refs/heads/${branch}`,
    GITHUB_SHA: Buffer.from(build).toString('hex').padEnd(40, '0'),
    RUNLEDGER_DEFAULT_BRANCH: branch,
    RUNLEDGER_GROUP: `${branch} ${build}`,
  }
}

/** Failed tests with the service's verdicts. */
async function listFailed(runs: readonly RunDetail[]): Promise<[name: string, verdict: string][]> {
  const failed = runs.filter(({ outcome }) => outcome === 'FAIL')
  const lists = await Promise.all(
    failed.map(async ({ id }) => (await (await service.get(`/v2/verdicts?ids=${id}`)).json()) as VerdictList),
  )
  return lists.flatMap(({ data }) => data.map(({ name, verdict }) => [name, verdict] as [string, string]))
}

/** Sequential tests follow one another, and not all end with their file. */
function checkTimes(run: RunDetail | undefined): void {
  const outermost = listTests(run).filter(({ name }) => !name.includes('›'))
  const spans = outermost.map((each) => [Date.parse(each.started_at), Date.parse(each.ended_at)] as const)
  for (const [index, [startedAt]] of spans.entries())
    expect(startedAt).toBeGreaterThanOrEqual((spans[index - 1]?.[1] ?? 0) - 2)
  for (const [startedAt, endedAt] of spans) {
    expect(startedAt).toBeGreaterThanOrEqual(Date.parse(run?.started_at ?? '') - 2)
    expect(endedAt).toBeLessThanOrEqual(Date.parse(run?.ended_at ?? '') + 2)
  }
}
