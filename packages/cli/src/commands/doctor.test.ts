import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { chown, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, request, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Certificates, createCertificates } from '../../../../test/support/certificates'
import { version } from '../../package.json'
import { main } from '../main'
import type { RunNode } from '../run-node'

/** Each fault is planted for real, in a project where nothing else is wrong. */

let server: RunningServer
let certificates: Certificates
let home: string
let folder: string
let key: string
let procedure: string
const open: { close(): unknown }[] = []

beforeAll(async () => {
  home = await realpath(await mkdtemp(path.join(tmpdir(), 'runledger-doctor-')))
  certificates = createCertificates()
  const data = path.join(home, 'service')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: home }, {})).start()
  const text = await readFile(path.join(data, 'credentials.json'), 'utf8')
  ;({ api_key: key, procedure_id: procedure } = JSON.parse(text) as { api_key: string; procedure_id: string })
})

afterAll(async () => {
  await server.close()
  certificates.remove()
  await rm(home, { recursive: true, force: true })
})

beforeEach(async () => {
  folder = await mkdtemp(path.join(home, 'project-'))
  await write({
    'package.json': { name: 'lamp', devDependencies: { vitest: '4' } },
    'vitest.config.js': "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n",
    'node_modules/vitest/package.json': { name: 'vitest', version: '4.1.0' },
    'node_modules/@runledger/vitest/package.json': {
      version,
      peerDependencies: { vitest: '^3.2.0 || ^4.0.0' },
      engines: { node: '>=20.19.0' },
    },
  })
})

afterEach(async () => {
  for (const each of open.splice(0)) each.close()
  await rm(folder, { recursive: true, force: true })
})

async function write(files: Record<string, string | object>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
}

interface Report {
  ok: boolean
  options: { config: string | null; options: { name: string; value: string | null; from: string }[] }[]
  findings: { check: string; status: string; code?: string; message: string; fix?: string }[]
}

const service = () => ({
  RUNLEDGER_URL: server.url,
  RUNLEDGER_API_KEY: key,
  RUNLEDGER_PROCEDURE_ID: procedure,
})

/** Stands in for a Vitest that was asked and says that it uses the reporter. */
const saysYes: RunNode = () =>
  Promise.resolve({
    stdout: 'RUNLEDGER_ANSWER [["default",{}],["@runledger/vitest",{"group":"night"}]]\n',
    stderr: '',
    isLate: false,
  })

async function run(args: string[], env: Record<string, string | undefined>, runNode?: RunNode) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const context = {
    cwd: folder,
    env: { XDG_STATE_HOME: path.join(home, 'state'), ...service(), ...env },
    runNode,
  }
  return { code: await main(['doctor', ...args], output, context), ...written }
}

async function examine(
  env: Record<string, string | undefined> = {},
  args: string[] = [],
  runNode?: RunNode,
): Promise<Report> {
  const { code, out } = await run(['--json', ...args], env, runNode)
  const report = JSON.parse(out) as Report
  expect(code).toBe(report.ok ? 0 : 1)
  return report
}

/** That cause is named, with a fix, and no other. */
async function expectFault(
  code: string,
  env: Record<string, string | undefined> = {},
  said = /./,
): Promise<void> {
  const { findings } = await examine(env)
  const faults = findings.filter(({ status }) => status === 'fault')
  expect(faults).toMatchObject([{ code, message: expect.stringMatching(said) as unknown }])
  expect(faults[0]?.fix).toMatch(/^\S.*\.$|runledger|reporters:/)
}

async function listen<T extends Pick<Server, 'listen' | 'close' | 'address'>>(listening: T): Promise<number> {
  await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve))
  open.push(listening)
  return (listening.address() as AddressInfo).port
}

const answer = (listener: RequestListener) => listen(createHttpServer(listener))

async function startTls(options: ServerOptions): Promise<string> {
  const port = await listen(createTlsServer(options, (_, response) => void response.end('{}')))
  return `https://localhost:${port}`
}

/** Hands requests on to the service, and its responses back, changed. */
async function startFront(
  change: (body: string, headers: Record<string, unknown>, url: string | undefined) => string | undefined,
): Promise<string> {
  const port = await answer((incoming, response) => {
    const { method, url, headers } = incoming
    const forward = request(server.url + (url ?? ''), { method: method ?? 'GET', headers }, (found) => {
      const chunks: Buffer[] = []
      found.on('data', (chunk: Buffer) => chunks.push(chunk))
      found.on('end', () => {
        const changed: Record<string, unknown> = { ...found.headers }
        const body = change(Buffer.concat(chunks).toString(), changed, url)
        if (body === undefined) return response.destroy()
        delete changed['content-length']
        response.writeHead(found.statusCode ?? 500, changed as Record<string, string>).end(body)
      })
    })
    incoming.pipe(forward)
  })
  return `http://127.0.0.1:${port}`
}

async function ask(method: string, operation: string, body?: object): Promise<{ id: string; key: string }> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(`${server.url}/v2/${operation}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as { id: string; key: string }
}

const createUserKey = async (role: string): Promise<string> =>
  (await ask('POST', 'keys', { kind: 'user', name: role, role })).key

async function createStationKey(procedureId?: string): Promise<string> {
  const { id } = await ask('POST', 'stations', {
    name: 'Bench',
    ...(procedureId && { procedure_id: procedureId }),
  })
  return (await ask('POST', 'keys', { kind: 'station', name: 'Bench', station_id: id })).key
}

it('says which part was not tried where the framework could not be asked', async () => {
  const late: RunNode = () => Promise.resolve({ stdout: '', stderr: '', isLate: true })
  const broken: RunNode = () => Promise.resolve({ stdout: '', stderr: 'Error: no preset', isLate: false })
  for (const [runNode, reason] of [
    [late, 'it was not read within 5 s'],
    [broken, 'Error: no preset'],
  ] as const) {
    const { findings } = await examine({}, [], runNode)
    const message = expect.stringContaining(`\`npx vitest\` could not be tried: ${reason}`) as unknown
    expect(findings[0]).toMatchObject({ check: 'Vitest', status: 'not checked', message })
    expect((await run([], {}, runNode)).out).toContain('No faults in what was checked. Not checked: Vitest.')
  }
})

it.runIf(process.getuid?.() === 0)('runs no framework of another user above the folder', async () => {
  await write({ 'below/a.test.js': '' })
  await chown(path.join(folder, 'package.json'), 65_534, 65_534)
  const asked: string[] = []
  const runNode: RunNode = (args, options) => {
    asked.push(options.cwd)
    return saysYes(args, options)
  }
  const { findings } = await examine({}, ['--dir', 'below'], runNode)
  expect(asked).toEqual([])
  expect(findings[0]?.message).toContain('could not be tried: another user owns')
  await examine({}, [], runNode)
  expect(asked).toEqual([folder])
})

it.runIf(process.getuid?.() === 0)(
  'sends no key to an address from another user above the folder',
  async () => {
    const seen: (string | undefined)[] = []
    const port = await answer((incoming, response) => {
      seen.push(incoming.headers.authorization)
      response.end('{}')
    })
    const foreign = `http://127.0.0.1:${port}`
    await write({
      'below/a.test.js': '',
      'package.json': {
        scripts: { test: `RUNLEDGER_URL=${foreign} vitest run` },
        devDependencies: { vitest: '4' },
      },
      'vitest.config.js': `export default { test: { reporters: [['@runledger/vitest', { url: '${foreign}' }]] } }\n`,
    })
    await chown(path.join(folder, 'package.json'), 65_534, 65_534)
    await examine({}, ['--dir', 'below'], saysYes)
    expect(seen).toEqual([])
  },
)

it('checks no service if only a shell knows its address', async () => {
  await write({
    'package.json': { scripts: { test: 'RUNLEDGER_URL=$URL vitest run' }, devDependencies: { vitest: '4' } },
  })
  const { findings } = await examine({}, [], saysYes)
  expect(findings).toContainEqual({
    check: 'service',
    status: 'not checked',
    message: 'only running the tests shows url',
  })
  const { out } = await run([], {}, saysYes)
  expect(out).toContain('could not be tried: only a shell knows RUNLEDGER_URL')
  expect(out).toMatch(/Not checked: Vitest, service\.\nNot tried: your tests\. .*\n$/)
})

it('leaves the blobs of Playwright to what merges them', async () => {
  const scripts = { test: 'playwright test --shard=1/2 --reporter=blob' }
  const devDependencies = { '@playwright/test': '1' }
  await rm(path.join(folder, 'vitest.config.js'))
  await write({
    'package.json': { scripts, devDependencies },
    'node_modules/@playwright/test/package.json': { version: '1.50.0' },
    'node_modules/@runledger/playwright/package.json': { version },
  })
  await expectFault('reporter-overridden', {}, /replace those of the config: blob$/)
  await write({ '.github/workflows/test.yml': 'run: npx playwright merge-reports --reporter=html' })
  const recorded = (merge: string) => `its tests are recorded when ${merge} merges them`
  expect((await examine()).findings[0]).toMatchObject({
    status: 'not checked',
    message: expect.stringContaining(recorded('test.yml')) as unknown,
  })
  const merge = 'playwright merge-reports --reporter=@runledger/playwright'
  await write({ 'package.json': { scripts: { ...scripts, merge }, devDependencies } })
  expect((await examine()).findings[0]?.message).toContain(recorded('the script merge'))
})

it('says which scripts are not read', async () => {
  await write({ 'package.json': { scripts: { test: 'make check' }, devDependencies: { vitest: '4' } } })
  expect((await examine({}, [], saysYes)).findings).toContainEqual({
    check: 'scripts',
    status: 'not checked',
    message: 'cannot tell whether `make check` (test) runs recorded tests',
  })
})

it('says that a list of reporters leaves out what Vitest does on GitHub', async () => {
  await write({ '.github/workflows/test.yml': '' })
  const said = /Add 'github-actions' to its reporters on GitHub/
  expect((await examine({}, [], saysYes)).findings[0]?.message).toMatch(said)
  const list = "['default', ...(process.env.GITHUB_ACTIONS ? ['github-actions'] : []), '@runledger/vitest']"
  await write({ 'vitest.config.js': `export default { test: { reporters: ${list} } }\n` })
  expect((await examine({}, [], saysYes)).findings[0]?.message).not.toMatch(said)
})

it('asks with the variables that a script sets, and sends where the script says', async () => {
  const scripts = { test: 'RUNLEDGER_URL=http://127.0.0.1:9 vitest run --mode ci' }
  await write({ 'package.json': { scripts, devDependencies: { vitest: '4' } } })
  const { findings } = await examine({}, [], saysYes)
  expect(findings.filter(({ status }) => status === 'fault')).toMatchObject([{ code: 'nothing-listens' }])
})

describe('a working project', () => {
  it('it says so, creates a run and deletes it with its unit', async () => {
    const { findings, ok, options } = await examine({}, [], saysYes)
    expect(options[0]?.options).toContainEqual(
      expect.objectContaining({ name: 'group', value: 'night', from: 'option' }),
    )
    expect((await run([], {}, saysYes)).out).toContain(
      'No faults in what was checked.\nNot tried: your tests.',
    )
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([])
    expect(ok).toBe(true)
    expect(findings.at(-2)).toMatchObject({ check: 'run', message: 'created and deleted' })
    for (const resource of ['runs', 'units']) expect(await ask('GET', resource)).toMatchObject({ data: [] })
  })

  it('--no-run leaves the run out, and a station key that may create runs is well', async () => {
    expect((await examine({}, ['--no-run'])).findings).toContainEqual({
      check: 'run',
      status: 'not checked',
      message: 'left out by --no-run',
    })
    expect((await examine({ RUNLEDGER_API_KEY: await createStationKey(procedure) })).ok).toBe(true)
  })

  it('a project key is accepted for its procedure, and for no other', async () => {
    const project = await ask('POST', 'keys', { kind: 'project', name: 'CI', procedure_id: procedure })
    const env = { RUNLEDGER_API_KEY: project.key }
    const report = await examine(env)
    expect(report.ok).toBe(true)
    expect(report.findings).toContainEqual({
      check: 'procedure',
      status: 'ok',
      message: `${procedure} is known to the service, and the key may create its runs`,
    })
    const other = await ask('POST', 'procedures', { name: 'Other' })
    for (const id of [other.id, 'none'])
      await expectFault(
        'procedure-of-another-key',
        { ...env, RUNLEDGER_PROCEDURE_ID: id },
        /it is a project key of another one/,
      )
    await expectFault('key-refused', { RUNLEDGER_API_KEY: `${project.key ?? ''}x` })
  })

  it('the key of a member creates no run, because it could not delete it', async () => {
    const report = await examine({ RUNLEDGER_API_KEY: await createUserKey('member') })
    expect(report.ok).toBe(true)
    expect(report.findings).toContainEqual({
      check: 'run',
      status: 'not checked',
      message: 'a key with the role member may not delete one',
    })
    expect(await ask('GET', 'runs')).toMatchObject({ data: [] })
  })

  it('it lists every option with where it is from, and shows no secret', async () => {
    await write({
      'vitest.config.js': `export default { test: { reporters: [['@runledger/vitest', {
        maxRetries: 2, redact: ['hunter22'], subUnits: list(), group: process.env.GROUP, apiKey: '${key}' }]] } }`,
    })
    const env = {
      RUNLEDGER_API_KEY: undefined,
      GROUP: 'night',
      RUNLEDGER_URL: server.url.replace('//', '//me:pass@'),
      RUNLEDGER_LOGS: 'no',
    }
    const report = await examine(env)
    expect(report.options).toMatchObject([{ config: 'vitest.config.js', computed: ['subUnits'] }])
    const named = Object.fromEntries(
      report.options[0]?.options.map(({ name, value, from }) => [name, [value, from]]) ?? [],
    )
    expect(named).toMatchObject({
      maxRetries: ['2', 'option'],
      redact: ['set', 'option'],
      group: ['night', 'option'],
      apiKey: ['set', 'option'],
      logs: ['false', 'RUNLEDGER_LOGS'],
      concurrency: ['32', 'default'],
      procedureId: [procedure, 'RUNLEDGER_PROCEDURE_ID'],
    })
    const { out } = await run([], env)
    for (const secret of [key, 'hunter22', 'pass@'])
      for (const text of [out, JSON.stringify(report)]) expect(text).not.toContain(secret)
    expect(out).toContain('(only running the tests shows it)')
  })
})

it.each([
  ['apiKey: makeKey()', 'service', /shows apiKey/],
  ['...shared', 'service', /shows others/],
  ['procedureId: ({ file }) => file', 'procedure', /shows which/],
])('does not guess what only running the tests shows: %s', async (code, check, said) => {
  await write({
    'vitest.config.js': `export default { test: { reporters: [['@runledger/vitest', { ${code} }]] } }`,
  })
  const report = await examine({ RUNLEDGER_API_KEY: check === 'service' ? undefined : key })
  expect(report.ok).toBe(true)
  expect(report.findings).toContainEqual({
    check,
    status: 'not checked',
    message: expect.stringMatching(said) as unknown,
  })
})

describe('the settings', () => {
  it('no address', () =>
    expectFault('no-address', { RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined }))
  it('a key that takes the place of local credentials', async () => {
    const local = { url: server.url, api_key: key, procedure_id: procedure }
    await write({ '.runledger/credentials.json': local })
    const own = { RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined, RUNLEDGER_PROCEDURE_ID: undefined }
    expect((await examine(own)).ok).toBe(true)
    const said =
      /^the key from RUNLEDGER_API_KEY takes the place of .*credentials\.json, and it has no address$/
    await expectFault('no-address', { ...own, RUNLEDGER_API_KEY: 'abc' }, said)
  })
  it('no key', () => expectFault('no-key', { RUNLEDGER_API_KEY: undefined }))
  it('no procedure', () => expectFault('no-procedure', { RUNLEDGER_PROCEDURE_ID: undefined }))
  it('a value that cannot be used', () =>
    expectFault('option-invalid', { RUNLEDGER_RUN_PER: 'test' }, /RUNLEDGER_RUN_PER/))
  it('a misspelt variable', () =>
    expectFault('option-unknown', { RUNLEDGER_RUNPER: 'suite' }, /RUNLEDGER_RUN_PER/))
  it('switched off', () => expectFault('disabled', { RUNLEDGER_DISABLED: '1' }))
  it('a file of authorities that is not there', () =>
    expectFault(
      'connection-option',
      { RUNLEDGER_CA_FILE: path.join(folder, 'none.pem') },
      /RUNLEDGER_CA_FILE/,
    ))
  it('damaged local credentials', async () => {
    await write({ '.runledger/credentials.json': '{' })
    await expectFault(
      'credentials-unreadable',
      { RUNLEDGER_URL: undefined, RUNLEDGER_API_KEY: undefined },
      /credentials\.json/,
    )
  })
})

describe('the way to the service', () => {
  it('a name that no host has', () =>
    expectFault('host-unknown', { RUNLEDGER_URL: 'http://nowhere.invalid' }))
  it('nothing listens', () => expectFault('nothing-listens', { RUNLEDGER_URL: 'http://127.0.0.1:9' }))
  it('an expired certificate', async () => {
    certificates.issue('expired', { days: -1, host: 'localhost' })
    const url = await startTls(certificates.read('expired'))
    await expectFault('certificate-expired', {
      RUNLEDGER_URL: url,
      RUNLEDGER_CA_FILE: certificates.at('ca.pem'),
    })
  })
  it('a certificate of an authority that is not trusted', async () =>
    expectFault('certificate-untrusted', { RUNLEDGER_URL: await startTls(certificates.read('service')) }))
  it('a certificate that signed itself', async () =>
    expectFault('certificate-untrusted', { RUNLEDGER_URL: await startTls(certificates.read('ca')) }))
  it('a certificate for another host', async () => {
    certificates.issue('elsewhere', { days: 1, host: 'elsewhere.example' })
    const url = await startTls(certificates.read('elsewhere'))
    await expectFault('certificate-other-host', {
      RUNLEDGER_URL: url,
      RUNLEDGER_CA_FILE: certificates.at('ca.pem'),
    })
  })
  it('a service that asks for a certificate of the client', async () => {
    const ca = await readFile(certificates.at('ca.pem'))
    const url = await startTls({
      ...certificates.read('service'),
      ca,
      requestCert: true,
      rejectUnauthorized: true,
    })
    const env = {
      RUNLEDGER_URL: url,
      RUNLEDGER_CA_FILE: certificates.at('ca.pem'),
    }
    // Whether the alert comes before the end of the connection is a matter of time.
    expect((await examine(env)).findings.filter(({ status }) => status === 'fault')).toMatchObject([
      {
        code: expect.stringMatching(/^(connection-closed|client-certificate)$/) as unknown,
        message: expect.not.stringContaining('SSL routines') as unknown,
        fix: expect.stringContaining('clientCertFile and clientKeyFile') as unknown,
      },
    ])
  })
  it('TLS for a service without it', () =>
    expectFault(
      'no-tls',
      { RUNLEDGER_URL: server.url.replace('http:', 'https:') },
      /^no response from https:\/\/127\.0\.0\.1:\d+: it does not speak TLS$/,
    ))
  it('no TLS for a service with it', async () => {
    const url = await startTls(certificates.read('service'))
    await expectFault('connection-closed', { RUNLEDGER_URL: url.replace('https:', 'http:') })
  })
  it('a proxy that refuses', async () => {
    const proxy = createHttpServer((_, response) => void response.writeHead(403).end())
    proxy.on('connect', (_, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    const address = `http://127.0.0.1:${await listen(proxy)}`
    for (const scheme of ['http', 'https'])
      await expectFault(
        'proxy',
        { RUNLEDGER_URL: `${scheme}://service.example`, HTTP_PROXY: address, HTTPS_PROXY: address },
        new RegExp(`by the proxy ${address}`),
      )
  })
  it('a proxy that is not there, its password unseen', async () => {
    const env = { RUNLEDGER_URL: 'http://service.example', HTTP_PROXY: 'http://me:pass@127.0.0.1:9' }
    await expectFault('proxy', env, /by the proxy http:\/\/…@127\.0\.0\.1:9/)
  })
  it('a SOCKS proxy', () =>
    expectFault('proxy', { RUNLEDGER_URL: 'http://service.example', HTTP_PROXY: 'socks5://127.0.0.1:9' }))
  it('something that accepts and says nothing', async () => {
    const port = await listen(createSocketServer() as unknown as Server)
    await expectFault('timeout', { RUNLEDGER_URL: `http://127.0.0.1:${port}` })
  })
  it('another server', async () => {
    const port = await answer((_, response) => void response.writeHead(404).end('<html>'))
    await expectFault('not-the-service', { RUNLEDGER_URL: `http://127.0.0.1:${port}` })
  })
  it('a service that has moved', async () => {
    const port = await answer((_, response) => void response.writeHead(301, { location: '/x' }).end())
    await expectFault('moved', { RUNLEDGER_URL: `http://127.0.0.1:${port}` })
  })
  it('a service that fails', async () => {
    const port = await answer((_, response) => void response.writeHead(503).end())
    await expectFault('service-failing', { RUNLEDGER_URL: `http://127.0.0.1:${port}` })
  })
})

describe('the service', () => {
  it.each([
    ['ahead', 3_600_000, /3[56]\d\d s ahead of/],
    ['behind', -3_600_000, /36\d\d s behind/],
  ])('a clock that is %s', async (_where, offMs, said) => {
    const url = await startFront((body, headers) => {
      headers['date'] = new Date(Date.now() + offMs).toUTCString()
      return body
    })
    await expectFault('clock', { RUNLEDGER_URL: url }, said)
  })
  it('another version', async () => {
    const url = await startFront((body) => body.replace(`"version":"${version}"`, '"version":"7.0.0"'))
    await expectFault('service-version', { RUNLEDGER_URL: url }, /7\.0\.0/)
  })
  it('a run that is created and not answered, which is still deleted', async () => {
    const listed = async () => (await ask('GET', 'runs?limit=100')) as unknown as { data: unknown[] }
    const before = (await listed()).data.length
    const url = await startFront((body, _headers, asked) =>
      asked?.startsWith('/v1/runs') ? undefined : body,
    )
    await expectFault('run-unanswered', { RUNLEDGER_URL: url }, /no response/)
    expect((await listed()).data).toHaveLength(before)
  })
  it('a wrong key', () => expectFault('key-refused', { RUNLEDGER_API_KEY: 'rl_user_wrong' }, /401/))
  it('a revoked key', async () => {
    const issued = await ask('POST', 'keys', { kind: 'user', name: 'old' })
    await ask('DELETE', `keys/${issued.id}`)
    await expectFault('key-refused', { RUNLEDGER_API_KEY: issued.key }, /401/)
  })
  it('the key of a viewer', async () =>
    expectFault('key-only-reads', { RUNLEDGER_API_KEY: await createUserKey('viewer') }, /role viewer/))
  it('an unknown procedure', () =>
    expectFault('procedure-unknown', { RUNLEDGER_PROCEDURE_ID: 'NONE' }, /NONE/))
  it('a station that the procedure is not linked to', async () =>
    expectFault('procedure-not-linked', { RUNLEDGER_API_KEY: await createStationKey() }, /Bench/))
  it.each([
    ['plan-upgrade-required', 'plan.upgrade_required', true],
    ['monthly-limit', 'limits.runs_per_month', 0],
    ['run-refused', 'auto_create.unit', false],
  ])('%s', async (code, setting, value) => {
    await ask('PATCH', 'settings', { [setting]: value })
    try {
      await expectFault(code)
    } finally {
      await ask('PATCH', 'settings', { [setting]: null })
    }
  })
})

describe('the project', () => {
  it('a spool that is a file', async () => {
    await write({ spool: '' })
    await expectFault('spool-not-writable', { RUNLEDGER_SPOOL_DIR: 'spool' }, /is not a folder/)
    await expectFault('spool-not-writable', { RUNLEDGER_SPOOL_DIR: 'spool/below' })
  })
  it('a config without the reporter, or none', async () => {
    await write({ 'vitest.config.js': "export default { test: { reporters: ['default'] } }\n" })
    await expectFault('reporter-not-configured', {}, /vitest\.config\.js does not name/)
    await rm(path.join(folder, 'vitest.config.js'))
    await expectFault('reporter-not-configured', {}, /there is no config/)
  })
  it('a config that is not code', async () => {
    await write({ 'vitest.config.js': 'export default {' })
    await expectFault('config-unreadable', {}, /\(1:16\)/)
  })
  it('a reporter that is not installed', async () => {
    await rm(path.join(folder, 'node_modules/@runledger'), { recursive: true })
    await expectFault('reporter-not-installed')
  })
  it('a framework that is not installed', async () => {
    await rm(path.join(folder, 'node_modules/vitest'), { recursive: true })
    // This repository has a Vitest that code below its folder finds; a project in the temporary folder finds none.
    await expectFault('framework-not-installed')
  })
  it('a framework that is too old, and a Node that is', async () => {
    await write({ 'node_modules/vitest/package.json': { version: '2.0.0' } })
    await expectFault(
      'framework-unsupported',
      {},
      /vitest is 2\.0\.0, but @runledger\/vitest .* is made for \^3\.2\.0/,
    )
    await write({
      'node_modules/vitest/package.json': { version: '4.0.0' },
      'node_modules/@runledger/vitest/package.json': { version, engines: { node: '>=99' } },
    })
    await expectFault('node-unsupported', {}, />=99/)
  })
  it("Node's own test runner: a script without the reporter, then with it", async () => {
    await rm(path.join(folder, 'vitest.config.js'))
    await write({ 'package.json': { scripts: { test: 'node --test' } } })
    await expectFault('reporter-not-configured', {}, /package\.json does not name @runledger\/node-test/)
    const flags = '--test-reporter=@runledger/node-test --test-reporter-destination=stdout'
    await write({ 'package.json': { scripts: { test: `node --test ${flags}`, quick: 'node --test' } } })
    await expectFault('reporter-not-configured', {}, /in the script quick$/)
    await write({ 'package.json': { scripts: { test: `node --test ${flags}` } } })
    await expectFault('reporter-not-installed')
    const installed = 'node_modules/@runledger/node-test/package.json'
    await write({ [installed]: { version: '1.2.3', engines: { node: '>=99' } } })
    await expectFault('node-unsupported', {}, /@runledger\/node-test 1\.2\.3 needs >=99/)
    await write({ [installed]: { version: '1.2.3', engines: { node: '>=20' } } })
    expect((await examine()).findings).toContainEqual(
      expect.objectContaining({
        check: 'node:test',
        status: 'ok',
        message: `Node ${process.versions.node}, @runledger/node-test 1.2.3; each script that runs it has the reporter`,
      }),
    )
  })
  it('no framework', async () => {
    await write({ 'package.json': {} })
    await rm(path.join(folder, 'vitest.config.js'))
    await expectFault('no-framework')
  })
})
