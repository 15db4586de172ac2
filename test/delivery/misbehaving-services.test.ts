import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { RunDetail } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256 } from '../support/digest'
import { drawCases } from '../support/draw'
import {
  ALL_MODES,
  startMisbehavingProxy,
  type MisbehavingProxy,
  type Mode,
} from '../support/misbehaving-server'
import { runCommand, type CommandResult, type Framework, type Project } from '../support/project'
import { findFreePort } from '../support/recording-proxy'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { FRAMEWORKS, hasAttachments, LAST_TEST_FILE, openProject, READING } from './delivery-projects'

const DEADLINE_MS = 3_000
const LONGEST_TAIL_MS = DEADLINE_MS + 2_000
const OUR_LINE = /^Runledger: .*$/gm
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

// All of it with `npm run soak -- outages`; CI has time for the modes that differ most, and tests that pass.
const isWhole = process.env['SOAK_OUTAGES'] === 'all'
const VERDICTS = isWhole ? [false, true] : [false]
const MODES: readonly Mode[] = isWhole
  ? ALL_MODES
  : ['refuses', 'hangs before headers', 'accepts the run and loses the response']

const DRAWN = isWhole ? FRAMEWORKS : drawCases('frameworks of outages', FRAMEWORKS, 1)

/** Each test has one of its own: what one sees the others do not disturb. */
interface Bench {
  proxy: MisbehavingProxy
  service: Service
}

async function openBench(): Promise<Bench> {
  const proxy = await startMisbehavingProxy()
  const port = await findFreePort()
  const service = await startService({ args: ['--port', String(port), '--public-url', proxy.url] })
  proxy.leadTo(`http://127.0.0.1:${port}`)
  return { proxy, service }
}

/** Runs the framework's command; how long it took to end after the last test did, in milliseconds. */
async function runTimed(project: Project, env: Record<string, string>) {
  const result = await project.run({ env: { ...env, CI: 'true' } })
  const endedAtMs = Date.now()
  const lastTestEndedAtMs = Number(await readFile(path.join(project.dir, LAST_TEST_FILE), 'utf8'))
  return { ...result, tailMs: endedAtMs - lastTestEndedAtMs }
}

function upload(project: Project, env: Record<string, string>): Promise<CommandResult> {
  const context = { XDG_STATE_HOME: `${project.dir}.state`, ...env }
  return runCommand(process.execPath, [CLI, 'upload'], { dir: project.dir, env: context })
}

/** Names of everything that is left in the spools of a project. */
async function listSpool(project: Project): Promise<string[]> {
  const spools = path.join(`${project.dir}.state`, 'runledger/spool')
  const names = await Promise.all(
    (await readdir(spools).catch(() => [])).map((name) => readdir(path.join(spools, name))),
  )
  return names.flat()
}

describe.each(DRAWN)('%s', (framework: Framework) => {
  let bench: Bench
  const exitCodes = new Map<boolean, number | null>()

  beforeAll(async () => {
    bench = await openBench()
    for (const fails of VERDICTS) {
      const project = await openProject({ framework, options: undefined, fails })
      exitCodes.set(fails, (await project.run({ env: { CI: 'true' } })).exitCode)
      await project.remove()
    }
  })

  afterAll(async () => {
    await bench.proxy.stop()
    await bench.service.stop()
  })

  it.each(MODES)('is not held and not changed by a service that %s, and nothing is lost', async (mode) => {
    const { proxy, service } = bench
    const before = (await service.readAllRuns()).length
    const env = {
      RUNLEDGER_URL: proxy.url,
      RUNLEDGER_API_KEY: service.apiKey,
      RUNLEDGER_PROCEDURE_ID: service.procedureId,
    }
    const verdicts: boolean[] = []
    for (const fails of VERDICTS) {
      const project = await openProject({ framework, options: `{ deadlineMs: ${DEADLINE_MS} }`, fails })
      const execute = async () => {
        await proxy.misbehave(mode)
        const { exitCode, tailMs, stdout, stderr } = await runTimed(project, env)
        await proxy.recover()
        verdicts.push(fails)
        expect(exitCode, stdout + stderr).toBe(exitCodes.get(fails))
        expect(stderr.match(OUR_LINE), stderr).toHaveLength(1)
        expect(stdout + stderr).not.toContain(service.apiKey)
        return { tailMs, stderr }
      }
      const first = await execute()
      // A machine that stood still for a moment looks like a reporter that waits, but not twice in a row.
      const { tailMs, stderr } = first.tailMs < LONGEST_TAIL_MS ? first : await execute()
      expect(tailMs, `${first.tailMs} ms before that: ${stderr}`).toBeLessThan(LONGEST_TAIL_MS)
      const sent = await upload(project, env)
      expect(sent.exitCode, sent.stdout + sent.stderr).toBe(0)
      expect(await listSpool(project)).toEqual([])
      await project.remove()
    }
    await expectWhole((await service.readAllRuns()).slice(before), verdicts)
  })

  /** Each file once for each execution, with every byte; `verdicts` tells whether one of its tests was to fail. */
  async function expectWhole(runs: RunDetail[], verdicts: readonly boolean[]): Promise<void> {
    const files = runs.map(({ metadata, outcome }) => `${metadata['file']} ${outcome}`)
    const wanted = verdicts.flatMap((fails) => ['a.test.js PASS', `b.test.js ${fails ? 'FAIL' : 'PASS'}`])
    expect(files.toSorted()).toEqual(wanted.toSorted())
    for (const run of runs) {
      const file = String(run.metadata['file'])
      if (run.outcome === 'FAIL')
        expect((await bench.service.download(run, `${file}.log`)).toString()).toContain(file)
      if (file === 'a.test.js' && hasAttachments(framework))
        expect(sha256(await bench.service.download(run, 'reads/reading.bin'))).toBe(sha256(READING))
    }
  }
})
