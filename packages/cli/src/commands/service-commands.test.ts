import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMisbehavingServer } from '../../../../test/support/misbehaving-server'
import { main } from '../main'
import type { CommandContext } from '../command-context'

let server: RunningServer
let folder: string
let credentials: { api_key: string; procedure_id: string }

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'runledger-commands-')))
  const data = path.join(folder, '.runledger')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
  credentials = JSON.parse(await readFile(path.join(data, 'credentials.json'), 'utf8')) as typeof credentials
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(argv: string[], over: Partial<CommandContext> = {}) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const context = { cwd: folder, ...over, env: { XDG_STATE_HOME: folder, ...over.env } }
  const code = await main(argv, output, context)
  return { code, ...written }
}

async function signIn(link: string): Promise<number> {
  const body = JSON.stringify({ code: new URL(link).searchParams.get('code') })
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${server.url}/session`, { method: 'POST', headers, body })).status
}

async function call(operation: string, body: object): Promise<{ id: string; key: string }> {
  const { out } = await run(['call', operation, '--body', JSON.stringify(body)])
  return JSON.parse(out) as { id: string; key: string }
}

async function createStationKey(): Promise<string> {
  const { id } = await call('createStation', { name: `Bench ${Math.random()}` })
  return (await call('createKey', { kind: 'station', name: 'Bench', station_id: id })).key
}

async function createRun(): Promise<string> {
  const { procedure_id } = credentials
  const unit_under_test = { serial_number: 'SN-1' }
  return (await call('createV1Run', { procedure_id, unit_under_test, run_passed: true, duration: 'PT1S' })).id
}

describe('runledger sign-in', () => {
  it('prints a link that signs in once, found from a folder below', async () => {
    const cwd = path.join(folder, 'packages/lamp')
    await mkdir(cwd, { recursive: true })
    const { code, out, err } = await run(['sign-in'], { cwd })
    expect({ code, err }).toEqual({ code: 0, err: 'It works once, within 15 minutes.\n' })
    expect([await signIn(out), await signIn(out)]).toEqual([200, 401])
    const { sign_in_url, expires_at } = JSON.parse(
      (await run(['sign-in', '--dir', cwd, '--json'], { cwd: tmpdir() })).out,
    ) as Record<string, string>
    expect(await signIn(sign_in_url ?? '')).toBe(200)
    expect(Date.parse(expires_at ?? '')).toBeGreaterThan(Date.now())
  })

  it('says why it makes none: a key of a station, a wrong key, no service', async () => {
    const withKey = (key: string) =>
      run(['sign-in'], { env: { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: key } })
    expect(await withKey(await createStationKey())).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^runledger: POST .* answered 403: A station key may not do this.*\n$/),
    })
    expect(await withKey('rl_user_wrong')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^runledger: POST .* answered 401: Invalid API key.*\n$/),
    })
    const nothing = await run(['sign-in', '--json'], { cwd: tmpdir() })
    expect(nothing.code).toBe(2)
    expect(JSON.parse(nothing.out)).toEqual({ error: expect.stringContaining('no service to ask') })
  })

  it('works though reporters are switched off', async () => {
    expect((await run(['sign-in'], { env: { RUNLEDGER_DISABLED: '1' } })).code).toBe(0)
  })

  it('takes no address of another kind from a service', async () => {
    const other = await startMisbehavingServer()
    other.service.answer = (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"url": "file:///etc/passwd", "expires_at": "2030-01-01T00:00:00Z"}')
    const env = { RUNLEDGER_URL: other.url, RUNLEDGER_API_KEY: 'key' }
    expect(await run(['sign-in'], { env })).toMatchObject({
      code: 1,
      err: `runledger: ${other.url} makes no sign-in links\n`,
    })
    await other.stop()
  })
})

describe('runledger open', () => {
  const local = { RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined }
  const named = () => ({ RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: credentials.api_key })
  const SANDBOX = 'If the browser cannot read the page, use the link of runledger sign-in.\n'

  it.each([
    ['beside local credentials', () => local, ''],
    ['among temporary files', named, SANDBOX],
  ])('opens the list of runs, signed in by a page of its user’s alone %s', async (_, env, said) => {
    const opened: string[] = []
    const openBrowser = async (url: string) => opened.push(url) > 0
    const { code, out, err } = await run(['open'], { openBrowser, env: env() })
    expect({ code, out, err }).toEqual({ code: 0, out: `Opened ${server.url}/runs\n`, err: said })
    // Every user of the machine sees the arguments of the browser.
    expect(opened[0]).toMatch(/^file:.*open\.html$/)
    const file = fileURLToPath(opened[0] ?? '')
    const modes = await Promise.all(
      [file, path.dirname(file)].map(async (one) => (await stat(one)).mode & 0o777),
    )
    if (process.platform !== 'win32') expect(modes).toEqual([0o600, 0o700])
    const address = /url=([^"]*)/.exec(await readFile(file, 'utf8'))?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(new URL(address).searchParams.get('next')).toBe('/runs')
    expect(await signIn(address)).toBe(200)
    if (said !== '') await rm(path.dirname(file), { recursive: true })
  })

  it('opens a run, and prints as JSON what it opened', async () => {
    const id = await createRun()
    const { out } = await run(['open', id, '--json'], { openBrowser: async () => true })
    expect(JSON.parse(out)).toEqual({ url: `${server.url}/runs/${id}`, opened: true })
  })

  it.each([
    ['there is no browser', undefined],
    ['the browser cannot be started', async () => false],
  ])('prints the address when %s', async (_, openBrowser) => {
    const { code, out, err } = await run(['open'], { openBrowser })
    expect(code).toBe(0)
    expect(await signIn(out)).toBe(200)
    expect(err).toBe(
      'No browser can be opened here: open this address. It signs in once, within 15 minutes.\n',
    )
  })

  it('opens the page itself where the key cannot sign in', async () => {
    const env = { RUNLEDGER_URL: `${server.url}/`, RUNLEDGER_API_KEY: await createStationKey() }
    expect(await run(['open', '--json'], { env })).toMatchObject({
      code: 0,
      out: `{"url":"${server.url}/runs","opened":false}\n`,
    })
  })

  it('says that there is no such run, or that the key is wrong', async () => {
    expect(await run(['open', '01985a5e-0000-7000-8000-000000000000'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining(
        'The run with the id "01985a5e-0000-7000-8000-000000000000" was not found.',
      ),
    })
    const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: 'rl_user_wrong' }
    expect(await run(['open'], { env })).toMatchObject({ code: 1, out: '' })
    expect((await run(['open', '..'])).code).toBe(2)
  })
})

describe('runledger status', () => {
  it('says where the service is known from, and that all is well', async () => {
    const file = path.join(folder, '.runledger/credentials.json')
    const { code, out, err } = await run(['status'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^Service {4}http:\/\/127\.0\.0\.1:\d+ \(.*\): responds, version \d+\.\d+\.\d+$/),
      `Key        set (${file}): accepted`,
      `Procedure  ${credentials.procedure_id} (${file}): known to the service`,
      'Spool      0 runs waiting',
      '',
    ])
    const json = JSON.parse((await run(['status', '--json'])).out) as unknown
    expect(json).toEqual({
      ok: true,
      service: { url: server.url, from: file, version: expect.stringMatching(/^\d/), problem: null },
      key: { from: file, problem: null },
      procedure: { id: credentials.procedure_id, from: file, problem: null },
      waiting: 0,
    })
  })

  it('names the procedure that the config gives the reporter', async () => {
    const project = await mkdtemp(path.join(folder, 'project-'))
    const list = (options: string) =>
      writeFile(
        path.join(project, 'vitest.config.js'),
        `export default { test: { reporters: [['@runledger/vitest', { ${options} }]] } }\n`,
      )
    await writeFile(path.join(project, 'package.json'), '{"devDependencies": {"vitest": "4"}}')
    await list("procedureId: 'CART'")
    const { out } = await run(['status', '--json'], { cwd: project })
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      procedure: { id: 'CART', from: 'the config', problem: expect.stringContaining('404') as unknown },
    })
    await list('procedureId: ({ file }) => file')
    expect((await run(['status'], { cwd: project })).out).toContain('only running the tests shows which')
  })

  it('distinguishes an option from a variable', async () => {
    const env = {
      RUNLEDGER_URL: 'http://127.0.0.1:9',
      RUNLEDGER_API_KEY: credentials.api_key,
      RUNLEDGER_PROCEDURE_ID: credentials.procedure_id,
    }
    const { code, out } = await run(['status', '--json', '--url', server.url], { env })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      service: { from: '--url' },
      key: { from: 'RUNLEDGER_API_KEY' },
      procedure: { from: 'RUNLEDGER_PROCEDURE_ID' },
    })
  })

  it('says whether the key creates runs of the procedure', async () => {
    const { procedure_id } = credentials
    const other = await call('createProcedure', { name: 'Other' })
    const createKey = async (body: object) => (await call('createKey', { name: 'CI', ...body })).key
    const read = async (key: string, id = procedure_id) => {
      const env = { RUNLEDGER_URL: server.url, RUNLEDGER_API_KEY: key, RUNLEDGER_PROCEDURE_ID: id }
      const { code, out } = await run(['status', '--json'], { env })
      const report = JSON.parse(out) as Record<'key' | 'procedure', { problem: string | null }>
      return [code, report.key.problem, report.procedure.problem]
    }
    const project = await createKey({ kind: 'project', procedure_id })
    expect(await read(project)).toEqual([0, null, null])
    expect(await read(project, other.id)).toEqual([1, null, expect.stringContaining('of another one')])
    expect(await read(await createKey({ kind: 'user', role: 'member' }))).toEqual([0, null, null])
    expect(await read(await createKey({ kind: 'user', role: 'viewer' }))).toEqual([
      1,
      'has the role viewer, which creates no runs',
      null,
    ])
    expect(await read(await createStationKey())).toEqual([1, null, expect.stringContaining('is not linked')])
  })

  const isNotChecked = { problem: 'not checked' }

  it.each([
    [
      'nothing listens',
      { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_API_KEY: 'k', RUNLEDGER_PROCEDURE_ID: 'p' },
      {
        service: { problem: expect.stringContaining('ECONNREFUSED') as unknown },
        key: isNotChecked,
        procedure: isNotChecked,
      },
    ],
    [
      'the key is wrong',
      { RUNLEDGER_API_KEY: 'rl_user_wrong' },
      {
        service: { problem: null },
        key: { problem: expect.stringContaining('401') as unknown },
        procedure: { problem: 'set RUNLEDGER_PROCEDURE_ID' },
      },
    ],
    [
      'the procedure is not known',
      { RUNLEDGER_URL: '', RUNLEDGER_API_KEY: '', RUNLEDGER_PROCEDURE_ID: 'none' },
      {
        key: { problem: null },
        procedure: { id: 'none', problem: expect.stringContaining('404') as unknown },
      },
    ],
    [
      'reporters are switched off',
      { RUNLEDGER_URL: '', RUNLEDGER_DISABLED: '1' },
      {
        service: { problem: expect.stringContaining('RUNLEDGER_DISABLED') as unknown },
        key: isNotChecked,
      },
    ],
  ])('ends with 1 when %s', async (_, env, expected) => {
    const { code, out } = await run(['status', '--json'], { env: { RUNLEDGER_URL: server.url, ...env } })
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ ok: false, ...expected })
  })

  it('names what to set where nothing is known', async () => {
    const empty = await mkdtemp(path.join(tmpdir(), 'runledger-empty-'))
    expect(await run(['status'], { cwd: empty })).toEqual({
      code: 1,
      out: `Service    none: set RUNLEDGER_URL, or start a service in this folder: npx runledger serve
Key        none: set RUNLEDGER_API_KEY
Procedure  none: set RUNLEDGER_PROCEDURE_ID
Spool      0 runs waiting
`,
      err: '',
    })
    await rm(empty, { recursive: true })
  })

  it('asks a service that does not tell its version', async () => {
    const other = await startMisbehavingServer()
    const env = { RUNLEDGER_URL: other.url, RUNLEDGER_API_KEY: 'k', RUNLEDGER_PROCEDURE_ID: 'p' }
    const { out } = await run(['status', '--json'], { env })
    expect(JSON.parse(out)).toMatchObject({ service: { version: null, problem: null } })
    await other.stop()
  })
})
