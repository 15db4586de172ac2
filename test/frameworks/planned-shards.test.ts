import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { drawCases } from '../support/draw'
import { answerJson, type ScriptedServer, startScriptedServer } from '../support/scripted-server'
import { type Service, startService } from '../support/service'
import {
  createShardedProject,
  type Kind,
  KINDS,
  type Ran,
  type ShardedProject,
} from './planned-shards-projects'

let service: Service
let projects: ShardedProject[] = []
let builds = 0

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove()
})

async function create(...given: Parameters<typeof createShardedProject>): Promise<ShardedProject> {
  const project = await createShardedProject(...given)
  projects = [...projects, project]
  return project
}

/** What the shards of one build share. */
const startBuild = () => ({ RUNLEDGER_GROUP: `build-${(builds += 1)}` })

/** Forwards requests for a shard, except the first one, and nothing else. */
async function startLateService({ url, apiKey }: Service): Promise<ScriptedServer> {
  let asked = 0
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return startScriptedServer(({ path, body }, response) => {
    if (path !== '/v2/shards' || (asked += 1) === 1) return void response.destroy()
    void fetch(url + path, { method: 'POST', headers, body: body.toString() }).then(async (answer) =>
      answerJson(response, answer.status, await answer.json()),
    )
  })
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'slow']
const DOWN = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_API_KEY: 'rl_key_of_nobody' }

function expectEach(shards: readonly Ran[], { end }: Kind, names: readonly string[]): void {
  const printed = shards.map(({ stdout, stderr }) => stdout + stderr).join('')
  expect(shards.flatMap(({ ran }) => ran).toSorted(), printed).toEqual(names.map((name) => name + end))
}

describe.each(drawCases('frameworks with planned shards', KINDS, 1))(
  'shards of $framework $version, planned from its config',
  (kind) => {
    it('take about the same time, run each file once, and stay the same', async () => {
      const project = await create(kind, NAMES)
      expect(await project.run(undefined, { env: startBuild(), service })).toMatchObject({
        exitCode: 0,
        ran: NAMES.map((name) => name + kind.end),
        lines: [],
      })
      const env = startBuild()
      const first = await project.run('1/2', { env, service })
      expect(first.ran).toContain(`slow${kind.end}`)
      expect(first.ran.length, first.stdout + first.stderr).toBeLessThan(3)
      expect(first.lines).toEqual([
        expect.stringMatching(/shard 1 of 2: \d of 6 files, by the service's plan/),
      ])
      expect((await project.run('1/2', { env, service })).ran).toEqual(first.ran)
      await project.write('new')
      const second = await project.run('2/2', { env, service })
      expectEach([first, second], kind, ['a', 'b', 'c', 'd', 'e', 'new', 'slow'])
      expect([first.exitCode, second.exitCode]).toEqual([0, 0])
    })

    it('are divided by count if the service is down, with the exit code of the tests', async () => {
      const project = await create(kind, ['a', 'b', 'broken', 'c'])
      const env = { ...startBuild(), ...DOWN, RUNLEDGER_PROCEDURE_ID: 'FVT' }
      const [first, second] = [await project.run('1/2', { env }), await project.run('2/2', { env })]
      expectEach([first, second], kind, ['a', 'b', 'broken', 'c'])
      expect([first.ran.length, second.ran.length]).toEqual([2, 2])
      expect([first.exitCode, second.exitCode]).toEqual([1, 0])
      for (const [index, { lines, stdout, stderr }] of [first, second].entries()) {
        expect(lines).toHaveLength(1)
        expect(lines[0]).toContain(`Runledger: shard ${index + 1} of 2: 2 of 4 files, by count: `)
        expect(stderr).toContain(`files of shard ${index + 1} may not have run.\n`)
        expect(stdout + stderr).not.toContain(DOWN.RUNLEDGER_API_KEY)
      }
    })

    it('fail if the service responds too late and the others follow a plan, until they run again', async () => {
      const project = await create(kind, NAMES)
      await project.run(undefined, { env: startBuild(), service })
      const env = startBuild()
      const first = await project.run('1/2', { env, service })
      const late = await startLateService(service)
      const cut = await project.run('2/2', { env: { ...env, RUNLEDGER_URL: late.url }, service })
      await late.stop()
      expect([cut.exitCode, cut.ran], cut.stderr).toEqual([
        1,
        ['b', 'd', 'slow'].map((name) => name + kind.end),
      ])
      expect(cut.stderr).toMatch(
        /follow a plan, and shard 2 did not run \d files? of it: .* Run this shard again/,
      )
      const again = await project.run('2/2', { env, service })
      expectEach([first, again], kind, NAMES)
      expect(again.exitCode).toBe(0)
    })

    it('are those of the framework without a service', async () => {
      const project = await create(kind, ['a', 'b', 'c'])
      const env = startBuild()
      const shards = [await project.run('1/2', { env }), await project.run('2/2', { env })]
      expectEach(shards, kind, ['a', 'b', 'c'])
      expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0])
      expect(shards[0]?.lines).toEqual([
        'Runledger: shard 1 of 2: files are divided by count: no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)',
      ])
    })

    it('fail if a file of the plan is missing, after the tests of the others', async () => {
      const names = ['a', 'b', 'c', 'd']
      const project = await create(kind, names)
      const env = startBuild()
      const { ran } = await project.run('1/2', { env, service })
      const [missing = '', ...rest] = names.filter((name) => !ran.includes(name + kind.end))
      await project.delete(missing)
      const shard = await project.run('2/2', { env, service })
      expect([shard.exitCode, shard.ran]).toEqual([1, rest.map((name) => name + kind.end)])
      expect(shard.stderr).toContain(
        `found 1 file that shard 2 should run and does not have: ${missing}${kind.end}.`,
      )
    })

    it('fail without running a test if the plan is for other files', async () => {
      const env = startBuild()
      await (await create(kind, ['a', 'b'])).run('1/2', { env, service })
      const others = await create(kind, ['x', 'y', 'z'])
      const refused = await others.run('2/2', { env, service })
      expect(refused.exitCode).toBe(1)
      expect(refused.ran).toEqual([])
      expect(refused.stdout + refused.stderr).toContain('RUNLEDGER_SHARD_NAME')
      const named = await others.run('2/2', { env: { ...env, RUNLEDGER_SHARD_NAME: 'others' }, service })
      expect([named.exitCode, named.ran]).toEqual([0, [`y${kind.end}`]])
      expect(named.stderr).not.toContain('unknown variable')
    })
  },
)

describe.each(KINDS.filter(({ framework }) => framework === 'vitest'))('Vitest $version', (kind) => {
  it('divides the files of projects with pools and groups of their own', async () => {
    const config = `import { RunledgerSequencer } from '@runledger/vitest/sequencer'
      const project = (name, include, others) => ({ test: { name, include, ...others } })
      export default { test: {
        reporters: ['default', '@runledger/vitest'],
        sequence: { sequencer: RunledgerSequencer },
        passWithNoTests: true,
        projects: [
          project('one', ['{a,b,c}.test.mjs'], { pool: 'threads' }),
          project('two', ['{c,d,e}.test.mjs'], { pool: 'forks' }),
          project('three', ['{f,g}.test.mjs'], { pool: 'forks', sequence: { groupOrder: 1 } }),
        ] } }\n`
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const project = await create(kind, names, { 'vitest.config.mjs': config })
    const env = startBuild()
    const shards = [await project.run('1/2', { env, service }), await project.run('2/2', { env, service })]
    expectEach(shards, kind, ['a', 'b', 'c', 'c', 'd', 'e', 'f', 'g'])
    expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  })
})

describe('Jest', () => {
  it('prints its line at the end with --forceExit, which silences stderr before', async () => {
    const project = await create({ framework: 'jest', version: '30.5.2', end: '.test.js' }, ['a', 'b'])
    const env = { ...startBuild(), ...DOWN, RUNLEDGER_PROCEDURE_ID: 'FVT' }
    const shard = await project.run('1/2', { env, options: ['--forceExit'] })
    expect(shard).toMatchObject({ exitCode: 0, ran: ['a.test.js'] })
    expect(shard.stderr).toContain('files of shard 1 may not have run.\n')
  })
})

describe('Playwright', () => {
  const kind: Kind = { framework: 'playwright', version: '1.65.1', end: '.test.js' }
  const CONFIG = `module.exports = {
    reporter: [['list'], ['@runledger/playwright', { planShards: true }]],
    projects: [
      { name: 'set-up', testMatch: 'first.test.js' },
      { name: 'web', testMatch: /[ab].test.js/, dependencies: ['set-up'] },
      { name: 'phone', testMatch: /b.test.js/ },
    ] }\n`

  it('runs a set-up project only in shards with tests that need it', async () => {
    const project = await create(kind, ['a', 'b', 'first'], { 'playwright.config.js': CONFIG })
    const env = startBuild()
    const shards = []
    for (const shard of ['1/3', '2/3', '3/3']) shards.push(await project.run(shard, { env, service }))
    // Which shard has which file depends on what earlier tests took.
    const ran = shards.map((shard) => shard.ran.join(' '))
    expect(ran.toSorted()).toEqual(['', 'a.test.js first.test.js', 'b.test.js b.test.js first.test.js'])
    expect(shards.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
  })

  it('says in a version without preprocess that it divides the tests itself', async () => {
    const older = { ...kind, version: '1.50.1' }
    const project = await create(older, ['a', 'b'])
    const shard = await project.run('1/2', { env: startBuild(), service })
    expect(shard.ran).toEqual(['a.test.js'])
    expect(shard.stderr).toContain(
      'Runledger: planShards needs Playwright 1.62: Playwright divides the tests by count',
    )
  })
})
