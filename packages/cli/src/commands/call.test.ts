import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from '../main'

let server: RunningServer
let folder: string
let apiKey: string
let procedureId: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-call-'))
  const data = path.join(folder, 'data')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
  const credentials = JSON.parse(await readFile(path.join(data, 'credentials.json'), 'utf8')) as {
    api_key: string
    procedure_id: string
  }
  apiKey = credentials.api_key
  procedureId = credentials.procedure_id
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function runCall(...words: string[]) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
  }
  const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: apiKey }
  const code = await main(['call', ...words], output, { env, cwd: folder })
  return { code, ...written }
}

describe('runledger call', () => {
  it('lists the operations', async () => {
    const { code, out } = await runCall()
    expect(code).toBe(0)
    expect(out).toMatch(/^createStation +POST +\/v2\/stations$/m)
  })

  it('sends a body, and values for the path and the query', async () => {
    const created = await runCall('createStation', '--body', '{"name":"Bench 1"}')
    expect(created.code).toBe(0)
    const { id } = JSON.parse(created.out) as { id: string }
    expect(JSON.parse((await runCall('getStation', `id=${id}`)).out)).toMatchObject({ name: 'Bench 1' })
    await writeFile(path.join(folder, 'run.json'), JSON.stringify(createRun()))
    expect((await runCall('createV1Run', '--body', '@run.json')).code).toBe(0)
    const found = await runCall('listRuns', 'outcomes=PASS', 'outcomes=FAIL', 'limit=1')
    expect(JSON.parse(found.out)).toMatchObject({ data: [{ unit: { serial_number: 'CALLED=1' } }] })
    const unit = await runCall('listRuns', 'serial_numbers=CALLED=1')
    expect((JSON.parse(unit.out) as { data: unknown[] }).data).toHaveLength(1)
  })

  it('says what the service says against it, and ends with 1', async () => {
    const { code, out, err } = await runCall('listRuns', 'limit=1000')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('limit')
    expect(err).not.toContain(apiKey)
    expect(await runCall('getRun', 'id=01985a5e-0000-7000-8000-000000000000')).toMatchObject({
      code: 1,
      err: expect.stringContaining('404') as unknown,
    })
  })

  it('refuses a value that the operation does not take, and suggests the one that was meant', async () => {
    for (const name of ['constructor', '__proto__', 'toString', 'nonsense'])
      expect(await runCall('listRuns', `${name}=1`)).toMatchObject({
        code: 2,
        err: `runledger: listRuns does not take "${name}". "runledger call listRuns --help" lists what it takes.`,
      })
    expect((await runCall('listRuns', 'Outcome=PASS')).err).toContain('Did you mean outcomes?')
    expect((await runCall('createStation', 'name=x')).err).toContain('createStation takes no values')
  })

  it('suggests the operation that was meant', async () => {
    const { code, err } = await runCall('getrun', 'id=1')
    expect(code).toBe(2)
    expect(err).toContain('There is no operation "getrun". Did you mean getRun?')
  })

  it('shows in the help of an operation what it takes', async () => {
    const listing = await runCall('listRuns', '--help')
    expect(listing.code).toBe(0)
    expect(listing.out).toContain('GET /v2/runs')
    expect(listing.out).toMatch(/^ {2}outcomes +PASS \| FAIL \| ERROR/m)
    expect(listing.out).toMatch(/^ {2}include_metadata +true \| false$/m)
    const creation = await runCall('createStation', '--help')
    expect(creation.out).toMatch(/^Fields of the body .*\n.*\n {2}name\* +text/m)
    expect((await runCall('unlinkStationProcedure', '--help')).out).toMatch(/^ {2}procedure_id\* +text/m)
    expect((await runCall('--help')).out).toContain('Examples:')
  })

  it('says what is wrong with the command line', async () => {
    expect(await runCall('listRuns', 'limit')).toMatchObject({
      code: 2,
      err: expect.stringContaining('name=value') as unknown,
    })
    expect(await runCall('getRun')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"id"') as unknown,
    })
    expect(await runCall('unlinkStationProcedure', 'id=..', `procedure_id=${procedureId}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be ".."') as unknown,
    })
    expect(await runCall('createStation', '--body', '{')).toMatchObject({
      code: 2,
      err: expect.stringContaining('not JSON') as unknown,
    })
    expect((await runCall('noSuch')).code).toBe(2)
  })
})

function createRun() {
  return {
    procedure_id: procedureId,
    unit_under_test: { serial_number: 'CALLED=1' },
    run_passed: true,
    duration: 'PT1S',
  }
}
