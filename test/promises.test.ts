import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROMISE_PROJECTS } from './promise-projects'
import {
  createProject,
  newestVersion,
  runCommand,
  type CommandResult,
  type Framework,
  type Project,
} from './support/project'
import { withoutTold } from './support/told-steps'
import { REPOSITORY } from './support/repository'
import { startService, type Service } from './support/service'

// What the READMEs of the project and of the reporters promise of every execution, in their words. What they say of single
// tests, hooks and errors is in conformance/, of undelivered runs that fail an execution in frameworks/.

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
const DEADLINE_MS = 1_500
/** A busy machine. */
const SLACK_MS = 5_000
const OUR_LINE = /^Runledger: .*$/gm
const FILES = ['a.test.js', 'b.test.js']

interface Timed extends CommandResult {
  /** From the end of the last test to the end of the command. */
  tailMs: number
}

describe.each(['jest', 'vitest', 'playwright'] as const)('%s', (framework) => {
  let project: Project
  let local: Service
  /** Without a reporter, with its one line, with that line while the service hangs, and without a key. */
  let plain: Timed
  let recorded: Timed
  let hanging: Timed
  let keyless: Timed

  async function run(env: Record<string, string | undefined> = {}): Promise<Timed> {
    const result = await project.run({ env: { NO_COLOR: '1', FORCE_COLOR: undefined, ...env } })
    return { ...result, tailMs: Date.now() - Number(readFileSync(path.join(project.dir, 'ended'), 'utf8')) }
  }

  /** Neither answers nor refuses while the command runs; what was sent meanwhile reaches it later. */
  async function whileServiceHangs<Result>(use: () => Promise<Result>): Promise<Result> {
    process.kill(local.pid, 'SIGSTOP')
    return use().finally(() => process.kill(local.pid, 'SIGCONT'))
  }

  beforeAll(async () => {
    project = await openProject(framework)
    plain = await run({ REPORTER: 'none' })
    local = await startService({ folder: project.dir, args: ['--port', '0'] })
    recorded = await run()
  })
  afterAll(async () => {
    await local.stop()
    await project.remove()
  })

  test('“On one machine nothing else needs setting”: one reporter line puts each test file on record', async () => {
    const runs = await local.readAllRuns()
    expect(runs.map(describeRun).toSorted()).toEqual([
      'a.test.js PASS: measures PASS, measures › output PASS',
      'b.test.js FAIL: holds PASS, breaks FAIL',
    ])
    const [passed] = runs.filter(({ outcome }) => outcome === 'PASS') as [RunDetail]
    expect(passed.phases.at(-1)?.measurements?.[0]).toMatchObject({ measured_value: 3.3, units: 'V' })
    const [failed] = runs.filter(({ outcome }) => outcome === 'FAIL') as [RunDetail]
    expect((await local.download(failed, 'b.test.js.log')).toString()).toContain('1 passed, 1 failed')
  })

  test('“One of the last lines is the link”: here the last', async () => {
    const [line = '', ...others] = recorded.stderr.match(OUR_LINE) ?? []
    expect(others).toEqual([])
    const link = /^Runledger: 2 runs on record, 1 passed, 1 failed: (http\S+)$/.exec(line)?.[1] ?? ''
    const group = new URL(link).searchParams.get('group')
    const runs = await local.readAllRuns()
    expect(runs.map(({ metadata }) => metadata['group'])).toEqual([group, group])
    const page = await fetch(link)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching('text/html')])
    expect(recorded.stderr.trimEnd().endsWith(link)).toBe(true)
  })

  test('“Run your tests as usual”: they print what they print without a reporter, and that line', () => {
    expect(listPrinted(plain)).not.toEqual([])
    expect(listPrinted(plain).join('\n')).not.toMatch(OUR_LINE)
    expect(listPrinted({ ...recorded, stderr: recorded.stderr.replace(OUR_LINE, '') })).toEqual(
      listPrinted(plain),
    )
  })

  test('“Without a reporter they do nothing”: calls of the functions have no effect', () => {
    expect(`${plain.stdout}${plain.stderr}`).toMatch(/2 passed/)
  })

  test('“never holds them longer than deadlineMs”: a service that hangs costs no more', async () => {
    hanging = await whileServiceHangs(() => run({ RUNLEDGER_DEADLINE_MS: String(DEADLINE_MS) }))
    expect(hanging.tailMs).toBeLessThan(plain.tailMs + DEADLINE_MS + SLACK_MS)
    expect(hanging.tailMs, 'it has tried for as long as it may').toBeGreaterThan(DEADLINE_MS / 2)
  })

  test('“never changes your tests’ exit code”', async () => {
    keyless = await run({ ONLY: 'a.test.js', RUNLEDGER_URL: 'http://127.0.0.1:9' })
    expect([recorded, hanging, keyless].map(({ exitCode }) => exitCode)).toEqual([1, 1, 0])
    expect(plain.exitCode).toBe(1)
  })

  test('“waits on disk: the next execution sends it”', async () => {
    expect(hanging.stderr.match(OUR_LINE)).toEqual([
      expect.stringMatching(/2 of 2 runs not sent.*runledger upload/),
    ])
    const next = await run()
    expect(next.stderr.match(OUR_LINE)).toEqual([expect.stringMatching(/2 runs on record/)])
    expect((await local.readAllRuns()).map(fileOf).toSorted()).toEqual(
      [...FILES, ...FILES, ...FILES].toSorted(),
    )
  })

  test('“or npx runledger upload, each exactly once. So does one for which the key is missing”', async () => {
    expect(keyless.stderr.match(OUR_LINE)).toEqual([expect.stringMatching(/RUNLEDGER_API_KEY.*waits?\b/)])
    const env = { XDG_STATE_HOME: `${project.dir}.state` }
    const upload = () =>
      runCommand(process.execPath, [CLI, 'upload', '--url', local.url], { dir: project.dir, env })
    for (const { exitCode, stdout, stderr } of [await upload(), await upload()])
      expect(exitCode, stdout + stderr).toBe(0)
    const sent = (await local.readAllRuns()).map((each) => `${each.metadata['group']} ${fileOf(each)}`)
    expect(sent).toHaveLength(3 * FILES.length + 1)
    expect(new Set(sent).size).toBe(sent.length)
  })

  test('“or pass options”: an execution without local credentials is where its options say', async () => {
    const elsewhere = await startService()
    try {
      const { url, apiKey, procedureId } = elsewhere
      await run({ REPORTER: 'options', OPTIONS: JSON.stringify({ url, apiKey, procedureId }) })
      expect((await elsewhere.readAllRuns()).map(fileOf).toSorted()).toEqual(FILES)
    } finally {
      await elsewhere.stop()
    }
  })
})

const openProject = (framework: Framework): Promise<Project> =>
  createProject({ framework, version: newestVersion(framework), files: PROMISE_PROJECTS[framework] })

const fileOf = (run: RunDetail): string => String(run.metadata['file'])

const describeRun = (run: RunDetail): string =>
  `${fileOf(run)} ${run.outcome}: ${withoutTold(run.phases)
    .map(({ name, outcome }) => `${name} ${outcome}`)
    .join(', ')}`

/** The lines, without times, which differ from one execution to the next; a framework may begin with what failed last. */
function listPrinted({ stdout, stderr }: CommandResult): string[] {
  return `${stdout}\n${stderr}`
    .replaceAll(/\d+(\.\d+)? ?m?s\b|\d\d:\d\d:\d\d|, estimated .*/g, '')
    .replaceAll(/\( *\)/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .toSorted()
}
