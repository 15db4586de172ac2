import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunDetail } from '@runledger/protocol'
import { sha256 } from '../support/digest'
import { drawCases } from '../support/draw'
import { runCommand, type Project } from '../support/project'
import { Random, SOAK_SEED } from '../support/random'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { FRAMEWORKS, hasAttachments, openLongProject, READING, SUITES_FILE } from './delivery-projects'

// `npm run soak -- kills` sets these.
const { SOAK_KILLS, SOAK_FRAMEWORK, SOAK_MOMENT = 'any' } = process.env
const KILLS = Number(SOAK_KILLS ?? '2')
const SUITES = 8
/** How many suites have finished when the time until the kill begins to count: all of them, when the end is to be hit. */
const SUITES_BEFORE = SOAK_MOMENT === 'end' ? SUITES : 1
const POLL_MS = 2
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

const frameworks =
  (SOAK_KILLS ?? SOAK_FRAMEWORK)
    ? FRAMEWORKS.filter((framework) => framework === (SOAK_FRAMEWORK ?? framework))
    : drawCases('frameworks that are killed', FRAMEWORKS, 1)

it.each(frameworks)(
  `%s: no finished suite is lost or repeated, killed ${KILLS} times (moment ${SOAK_MOMENT}, seed ${SOAK_SEED})`,
  async (framework) => {
    const random = new Random(`${SOAK_SEED}/${framework}`)
    const project = await openLongProject(framework, SUITES)
    const whole = await runKilled(project, { group: `${framework}-whole`, afterMs: undefined })
    expect(whole.finished).toHaveLength(SUITES)
    const told = { suites: 0, kills: 0, rounds: 0 }
    while (told.kills < KILLS) {
      // A command that ended before its kill is another round.
      const round = (told.rounds += 1)
      expect(round).toBeLessThanOrEqual(4 * KILLS + 10)
      const group = `${framework}-${round}`
      // Up to the end of the command and a little more.
      const afterMs = random.next() * (whole.tookMs + 20)
      const { finished, wasKilled } = await runKilled(project, { group, afterMs })
      await upload(project)
      const runs = await readGroup(group)
      const files = runs.map(({ metadata }) => String(metadata['file']))
      const moment = `killed ${Math.round(afterMs)} ms after suite ${SUITES_BEFORE}`
      expect(files.toSorted(), moment).toEqual([...new Set(files)].toSorted())
      const lost = finished.filter((file) => !files.includes(file))
      expect(lost, moment).toEqual([])
      if (hasAttachments(framework)) await expectBytes(runs)
      told.suites += finished.length
      told.kills += wasKilled ? 1 : 0
    }
    console.log(
      `${framework}: ${told.kills} kills hit in ${told.rounds} rounds, ${told.suites} suites had finished`,
    )
    await project.remove()
  },
  300_000 + KILLS * 30_000,
)

interface Kill {
  group: string
  /** Since so many suites had finished; undefined lets the command end by itself. */
  afterMs: number | undefined
}

/** Runs the framework's command; returns the suites that had finished, and how long it ran after `SUITES_BEFORE` of them. */
async function runKilled(project: Project, { group, afterMs }: Kill) {
  const noted = path.join(project.dir, SUITES_FILE)
  await rm(noted, { force: true })
  const kill = new AbortController()
  const ended = project.run({ service, env: { RUNLEDGER_GROUP: group, CI: 'true' }, kill: kill.signal })
  const state = { isOver: false }
  void ended.then(() => (state.isOver = true))
  while (readLines(noted).length < SUITES_BEFORE && !state.isOver) await setTimeout(POLL_MS)
  const reachedAtMs = Date.now()
  if (afterMs !== undefined) await setTimeout(afterMs)
  const wasKilled = afterMs !== undefined && !state.isOver
  if (wasKilled) kill.abort()
  await ended
  return { finished: readLines(noted), tookMs: Date.now() - reachedAtMs, wasKilled }
}

function readLines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

async function upload(project: Project): Promise<void> {
  const env = { XDG_STATE_HOME: `${project.dir}.state` }
  const sent = await runCommand(process.execPath, [CLI, 'upload'], { dir: project.dir, env, service })
  expect(sent.exitCode, sent.stdout + sent.stderr).toBe(0)
}

async function readGroup(group: string): Promise<RunDetail[]> {
  const filter = encodeURIComponent(JSON.stringify({ group: { in: [group] } }))
  const items = await service.listRuns(`&metadata=${filter}`)
  return Promise.all(items.map(({ id }) => service.readRun(id)))
}

async function expectBytes(runs: readonly RunDetail[]): Promise<void> {
  for (const run of runs.filter(({ phases }) => phases.some(({ name }) => name === 'reads'))) {
    expect(sha256(await service.download(run, 'reads/reading.bin'))).toBe(sha256(READING))
  }
}
