import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import {
  CONFIG,
  createGuideProject,
  followRuns,
  type GuideProject,
  type NewRuns,
  PASSING,
} from './guide-project'
import { findBlock, readBlocks, replaceAll } from './read-blocks'

// The guides in docs/: their commands, configs and tests, with the real command, reporter and service.

let service: Service
let runs: NewRuns
let project: GuideProject

beforeAll(async () => {
  service = await startService()
  runs = followRuns(service)
})
afterAll(() => service.stop())
afterEach(() => project.remove())

async function open(files: Record<string, string>): Promise<void> {
  project = await createGuideProject(service, files)
}

/** Runs a block whose last command wants the id that the one before it prints. */
async function callWithId(block: string, name: string): Promise<string> {
  const lines = block.trim().split('\n')
  let stdout = ''
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1
    const command = isLast ? replaceAll(line, { [name]: readMember(stdout, 'id') ?? '' }) : line
    stdout = (await project.shell(command)).stdout
  }
  return stdout
}

const readMember = (json: string, name: string) => (JSON.parse(json) as Record<string, string>)[name]

describe('docs/moving.md', () => {
  const blocks = readBlocks('docs/moving.md', 'sh')
  const [config = ''] = readBlocks('docs/moving.md', 'js')
  const example = findBlock(readBlocks('docs/moving.md', 'js'), 'checks out')

  test('both reporters write; the functions record what Allure received; all of it can be exported', async () => {
    await open({ 'vitest.config.mjs': config, 'cart.test.js': example })
    expect((await project.shell('npx vitest run')).stderr).toContain('1 run on record, passed')
    expect(await readFile(path.join(project.dir, 'junit.xml'), 'utf8')).toContain('name="checks out"')
    const [run] = await runs.read()
    expect(run?.metadata['browser']).toBe('firefox')
    expect(run?.phases.map(({ name }) => name)).toEqual(['checks out', 'checks out › fill the cart'])
    const cart = run && (await service.download(run, 'checks out/cart.json'))
    expect(cart?.toString()).toBe('{"total":3}')

    await project.shell(findBlock(blocks, 'export'))
    for (const name of ['all.xml', 'all.json'])
      expect(await readFile(path.join(project.dir, name), 'utf8')).toContain('checks out')
  })

  test('a JUnit file is shown, taken, and not taken again; a CTRF file is taken', async () => {
    const recordings = path.join(REPOSITORY, 'packages/cli/recordings/files')
    await open({
      'junit.xml': await readFile(path.join(recordings, 'pytest-xunit2.xml'), 'utf8'),
      'ctrf-report.json': await readFile(path.join(recordings, 'jest.ctrf.json'), 'utf8'),
    })
    const [dryRun = '', first = '', again = ''] = findBlock(blocks, '--dry-run').trim().split('\n')
    await project.shell(dryRun)
    expect(await runs.read()).toEqual([])
    await project.shell(first)
    expect((await runs.read()).length).toBeGreaterThan(0)
    expect((await project.shell(again)).stdout).toContain('already on record')
    expect(await runs.read()).toEqual([])
    await project.shell(findBlock(blocks, 'ctrf-report'))
    expect((await runs.read()).length).toBeGreaterThan(0)
  })
})

describe('docs/sharding.md', () => {
  const blocks = readBlocks('docs/sharding.md', 'sh')

  test('shards of one group are asked for as one; merged blobs are recorded once', async () => {
    await open({ 'vitest.config.mjs': CONFIG, 'a.test.js': PASSING, 'b.test.js': PASSING })
    await project.shell(findBlock(blocks, 'RUNLEDGER_GROUP'))
    const shards = (await runs.read()).map(({ metadata }) => metadata)
    expect(shards.map(({ shard }) => shard).toSorted()).toEqual(['1/2', '2/2'])
    for (const { group, shard_index, shard_total } of shards)
      expect([group, shard_index, shard_total]).toEqual(['nightly-17', expect.stringMatching(/1|2/), '2'])
    const listed = await project.shell(findBlock(blocks, 'npx runledger runs'))
    for (const name of ['a.test.js', 'b.test.js']) expect(listed.stdout).toContain(name)

    const [one = '', two = '', merge = ''] = findBlock(blocks, 'blob').trim().split('\n')
    await project.shell(`${one}\n${two}`, { RUNLEDGER_API_KEY: undefined })
    expect(await runs.read()).toEqual([])
    await project.shell(merge)
    expect((await runs.read()).map(({ metadata }) => metadata['file']).toSorted()).toEqual([
      'a.test.js',
      'b.test.js',
    ])
  })
})

const PACKAGES = Object.fromEntries(
  ['cart', 'shop'].flatMap((name) => [
    [
      `packages/${name}/package.json`,
      `{"name": "@acme/${name}", "version": "1.0.0", "scripts": {"test": "vitest run"}}`,
    ],
    [`packages/${name}/${name}.test.js`, PASSING],
  ]),
)

describe('docs/monorepos.md', () => {
  const blocks = readBlocks('docs/monorepos.md', 'sh')

  test('init sets up every package; each is the unit of its runs, in the group that is set', async () => {
    await open({
      'package.json': '{"name": "acme", "workspaces": ["packages/*"], "devDependencies": {"vitest": "*"}}',
      ...PACKAGES,
    })
    await project.shell(`${findBlock(blocks, 'init').trim()} --yes --no-install`)
    const nothing = { RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined }
    await project.shell('npm test --workspaces', {
      ...nothing,
      RUNLEDGER_PROCEDURE_ID: undefined,
      RUNLEDGER_GROUP: 'all',
    })
    const found = await runs.read()
    expect(found.map(({ metadata }) => metadata['package']).toSorted()).toEqual(['@acme/cart', '@acme/shop'])
    for (const { metadata, unit } of found) {
      expect(metadata['group']).toBe('all')
      expect(unit.part.number).toBe(metadata['package'])
    }
  })

  test('one config for all: the unit is the package still, the procedure what the function says', async () => {
    const [config = ''] = readBlocks('docs/monorepos.md', 'js')
    await open({
      'package.json': '{"name": "acme", "workspaces": ["packages/*"]}',
      'vitest.config.mjs': config,
      ...Object.fromEntries(
        Object.entries(PACKAGES).map(([name, text]) => [name, text.replace('"@acme/cart"', '"cart"')]),
      ),
    })
    await project.shell(findBlock(blocks, 'createProcedure'))
    await project.shell('npx vitest run', { RUNLEDGER_PROCEDURE_ID: undefined })
    const found = (await runs.read()).map(({ unit, procedure }) => [unit.part.number, procedure.identifier])
    expect(found.toSorted()).toEqual([
      ['@acme/shop', 'SHOP'],
      ['cart', 'CART'],
    ])
  })
})

const BENCH = `export const scanner = { read: (what) => (what === 'board' ? 'CTRL-0042' : 'PSU-0007') }
export const meter = { readVolts: async () => 24.1, readRipple: async () => [31, 60], readCelsius: async () => 71 }
`

describe('docs/bench-testing.md', () => {
  const blocks = readBlocks('docs/bench-testing.md', 'sh')

  test('a station records a board and the supply that it is built into', async () => {
    const output = findBlock(readBlocks('docs/bench-testing.md', 'js'), 'ripple')
    await open({
      'vitest.config.mjs': CONFIG,
      'board.test.js': PASSING,
      'output.test.js': output,
      'bench.js': BENCH,
    })
    const key = readMember(await callWithId(findBlock(blocks, 'createStation'), 'STATION_ID'), 'key')
    const station = { RUNLEDGER_API_KEY: key, RUNLEDGER_PROCEDURE_ID: 'FVT1' }
    await project.shell(findBlock(blocks, 'RUNLEDGER_SERIAL_NUMBER'), station)
    const [board] = await runs.read()
    expect(board?.unit).toMatchObject({ serial_number: 'CTRL-0042', part: { number: 'CTRL' } })
    expect(board?.procedure.identifier).toBe('FVT1')

    const deletion = { method: 'DELETE', headers: { authorization: `Bearer ${key}` } }
    expect((await fetch(`${service.url}/v2/runs?ids=${board?.id}`, deletion)).status).toBe(403)
    expect(await service.readRun(board?.id ?? '')).toBeDefined()

    // The ripple is outside its limits.
    await project.shell('! npx vitest run output', station)
    const [supply] = await runs.read()
    expect(supply?.unit).toMatchObject({ serial_number: 'PSU-0007', part: { number: 'PSU-24' } })
    expect(supply?.sub_units).toMatchObject([{ serial_number: 'CTRL-0042' }])
    const outcomes = supply?.phases.map(({ name, outcome }) => `${name}: ${outcome}`)
    expect(outcomes).toContain('output › at full load › ripple #1: PASS')
    expect(outcomes).toContain('output › at full load › ripple #2: FAIL')
    expect(outcomes).toContain('output › at full load › temperature: PASS')
    expect([supply?.outcome, supply?.phases[0]?.errors?.length]).toEqual(['FAIL', 1])
    expect(supply?.phases[0]?.error?.message).toContain('ripple #2: 60 mV')

    const { stdout } = await project.shell(findBlock(blocks, 'unit PSU-0007'))
    expect(stdout).toContain('CTRL-0042')
    expect(await readFile(path.join(project.dir, 'measurements.csv'), 'utf8')).toMatch(/ripple #2.*60/)
  })
})

const STEP = { name: 'a', step_passed: true, started_at: '2026-11-20T09:30:00Z', duration: 'PT1S' }

describe('docs/security.md', () => {
  const blocks = readBlocks('docs/security.md', 'sh')

  test('the first start makes a folder and a key that are its owner’s alone', async () => {
    await open({})
    const modeOf = async (name: string) => (await stat(path.join(service.dataDir, name))).mode & 0o777
    expect([await modeOf('.'), await modeOf('credentials.json')]).toEqual([0o700, 0o600])
    expect(await readFile(path.join(service.dataDir, '.gitignore'), 'utf8')).toBe('*\n')
    expect(new URL(service.url).hostname).toBe('127.0.0.1')
    const code = new URL(service.signInUrl).searchParams.get('code')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ code })
    const signIn = async () =>
      (await fetch(`${service.url}/session`, { method: 'POST', headers, body })).status
    expect(await signIn()).toBe(200)
    expect(await signIn()).toBe(401)
  })

  test('waiting runs are shown whole and masked, and can be dropped', async () => {
    const [config = ''] = readBlocks('docs/security.md', 'js')
    const said = "console.log('customer-17 of Project Nightingale, ' + process.env.DB_PASSWORD, 'kept')"
    await open({
      'vitest.config.mjs': config,
      'a.test.js': `import { test } from 'vitest'\ntest('says', () => { ${said} })\n`,
    })
    const [run = '', list = '', drop = ''] = findBlock(blocks, 'spool').trim().split('\n')
    await project.shell(run, { DB_PASSWORD: 'correct-horse-battery' })
    const { stdout } = await project.shell(`${list} --json`)
    const id = readMember(stdout, 'submission_id') ?? ''
    const shown = await project.shell(`npx runledger spool show ${id}`)
    expect(shown.stdout).toContain('says')
    const waiting = await project.shell(`cat -- $(find "${project.dir}.state" -type f)`)
    expect(waiting.stdout).toContain('*** of ***, *** kept')
    for (const secret of ['customer-17', 'Nightingale', 'correct-horse-battery'])
      expect(shown.stdout + waiting.stdout).not.toContain(secret)
    await project.shell(drop.replace('RUN_ID', id))
    expect((await project.shell(`${list} --json`)).stdout.trim()).toBe('')
    expect(await runs.read()).toEqual([])
  })

  test('a key that is deleted is refused; a run with one wrong field leaves nothing', async () => {
    await open({})
    const [create = '', list = '', remove = ''] = findBlock(blocks, 'keys create').trim().split('\n')
    const { id, key } = JSON.parse((await project.shell(`${create} --json`)).stdout) as {
      id: string
      key: string
    }
    const { stdout } = await project.shell(list)
    expect(stdout).toContain(id)
    expect(stdout).not.toContain(key)
    const ask = () => fetch(`${service.url}/v2/runs`, { headers: { authorization: `Bearer ${key}` } })
    expect((await ask()).status).toBe(200)
    const createRun = (step: object) =>
      fetch(`${service.url}/v1/runs/create`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          procedure_id: service.procedureId,
          unit_under_test: { serial_number: 'SN-1', part_number: 'PN-1' },
          run_passed: true,
          duration: 'PT2S',
          steps: [STEP, { ...STEP, ...step }],
        }),
      })
    expect((await createRun({ measurement_value: 'high' })).status).toBe(400)
    expect(await runs.read()).toEqual([])
    expect((await createRun({ measurement_value: 7 })).status).toBe(200)
    expect(await runs.read()).toHaveLength(1)
    await project.shell(replaceAll(remove, { KEY_ID: id }))
    expect((await ask()).status).toBe(401)
  })
})
