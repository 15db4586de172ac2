import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from './main'

/**
 * Every command with right, wrong and missing arguments, as text and with --json: `0` done, `1` not done, `2` for a command
 * line or a setting that makes no sense. `url` and `file` stand for the service and a file.
 */

let server: RunningServer
let folder: string
let served: string
let empty: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-lines-'))
  served = path.join(folder, 'served')
  empty = path.join(folder, 'empty')
  for (const each of [served, empty, path.join(served, 'below'), path.join(folder, 'broken/.runledger')])
    await mkdir(each, { recursive: true })
  await writeFile(path.join(folder, 'broken/.runledger/credentials.json'), '{')
  await writeFile(path.join(served, 'file'), 'no JSON')
  await writeFile(path.join(served, 'below/file'), '')
  const data = path.join(served, '.runledger')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: served }, {})).start()
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(line: string, { cwd = served, env = {} } = {}) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const argv = line
    .split(' ')
    .filter(Boolean)
    .map((word) => word.replace(/^url$/, server.url))
  const code = await main(argv, output, { cwd, env: { XDG_STATE_HOME: folder, ...env } })
  return { code, ...written }
}

/** The option stands after the command's name: some lines end with an option that lacks its value. */
function withJson(line: string): string {
  return line.replace(/^(?:spool )?\S+/, '$& --json')
}

/** What is printed for people, and a member of what is printed as JSON. */
type Done = [line: string, out: RegExp, member: string]

const DONE: Done[] = [
  ['status', /^Service .*responds, version/, 'service'],
  ['status --dir below', /^Service .*responds/, 'service'],
  ['status --url url', /^Service .*\(--url\): responds/, 'service'],
  ['sign-in', /^http.*\/sign-in\?code=/, 'sign_in_url'],
  ['sign-in --dir below', /^http.*\/sign-in\?code=/, 'sign_in_url'],
  ['sign-in --url url', /^http.*\/sign-in\?code=/, 'sign_in_url'],
  ['open', /^http.*&next=%2Fruns$/m, 'opened'],
  ['open --dir below', /^http.*&next=%2Fruns$/m, 'opened'],
  ['open --url url', /^http.*&next=%2Fruns$/m, 'opened'],
  ['upload', /^Nothing waits to be sent\.$/m, 'sent'],
  ['upload --dir below', /^Nothing waits/, 'sent'],
  ['upload --url url', /^Nothing waits/, 'sent'],
  ['spool drop --all', /^0 runs dropped\.$/m, 'dropped'],
  ['spool drop --all --yes --dir below', /^0 runs dropped\.$/m, 'dropped'],
  ['call', /^getRun +GET +\/v2\/runs\/\{id\}$/m, '0.operation'],
  ['call getHealth', /^ {2}"status": "ok"/m, 'status'],
  ['call listRuns limit=1 outcomes=PASS outcomes=FAIL', /"data": \[\]/, 'data'],
  ['call listRuns --dir below', /"data": \[\]/, 'data'],
  ['call createStation --body {"name":"Bench"}', /"id"/, 'id'],
  ['check', /\.runledger: 0 runs, 0 attachments \(0 B\)\nNo problems\.$/m, 'problems'],
  ['check --bytes --data .runledger', /No problems/, 'problems'],
  ['backup ../backup', /backup: 0 runs, 0 attachments \(0 B\), database/, 'copied_bytes'],
  ['check --data ../backup', /No problems/, 'problems'],
  ['check ../backup', /backup: 0 runs, .*\nNo problems/, 'problems'],
]

describe('a command that succeeds', () => {
  it.each(DONE)('runledger %s', async (line, out, member) => {
    expect(await run(line)).toMatchObject({ code: 0, out: expect.stringMatching(out) as unknown })
    const asJson = await run(withJson(line.replace('Bench', 'Other')))
    expect(asJson).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(asJson.out)).toHaveProperty(member)
  })

  it('runledger spool list prints a line for each run, none here', async () => {
    expect(await run('spool list')).toEqual({ code: 0, out: 'Nothing waits to be sent.\n', err: '' })
    expect(await run('spool list --dir below --json')).toEqual({ code: 0, out: '', err: '' })
  })

  it('runledger restore makes a data folder of a backup, once', async () => {
    expect(await run('backup ../made --json')).toMatchObject({ code: 0 })
    const line = 'restore ../made --data ../restored'
    expect(await run(line)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /restored: 0 runs.*as of 20.*\nStart the service with: npx runledger serve/,
      ) as unknown,
    })
    expect(await run(line)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not empty') as unknown,
    })
    const asJson = await run(`${line}-too --json`)
    expect(JSON.parse(asJson.out)).toMatchObject({
      ok: true,
      problems: [],
      data: path.join(folder, 'restored-too'),
    })
  })

  it('runledger check tells what is wrong and ends with 1, and a damaged backup is restored by force alone', async () => {
    const { out } = await run('call initializeAttachment --body {"name":"bytes.txt"}')
    await fetch((JSON.parse(out) as { upload_url: string }).upload_url, { method: 'PUT', body: 'bytes' })
    expect(await run('backup ../damaged')).toMatchObject({ code: 0 })
    const blobs = path.join(folder, 'damaged/blobs')
    const [file] = (await readdir(blobs, { recursive: true })).filter((name) => /[0-9a-f]{64}/.test(name))
    await rm(path.join(blobs, file as string))
    const problem = /1 problem:\n {2}bytes: bytes [0-9a-f]{64} are on record, but there is no file$/m
    expect(await run('check --data ../damaged')).toMatchObject({
      code: 1,
      out: expect.stringMatching(problem) as unknown,
    })
    const line = 'restore ../damaged --data ../mended'
    const refused = await run(line)
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(problem) as unknown })
    expect(refused.err).toContain('is damaged. --force restores what is there of it.')
    expect(await run(`${line} --force`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(problem) as unknown,
    })
  })

  it.each(['--help', '--version', 'help', 'help upload', 'spool --help', 'call listRuns --help'])(
    'runledger %s',
    async (line) => {
      expect(await run(line)).toMatchObject({ code: 0, err: '' })
    },
  )

  it.each([
    'init',
    'doctor',
    'serve',
    'status',
    'open',
    'sign-in',
    'keys list',
    'keys create',
    'keys revoke',
    'upload',
    'spool list',
    'spool show',
    'spool drop',
    'call',
    'gate',
    'backup',
    'restore',
    'check',
  ])('runledger %s --help tells of --json', async (line) => {
    const { code, out } = await run(`${line} --help`)
    expect(code).toBe(0)
    expect(out).toContain('--json')
  })
})

type Failure = [line: string, code: number, message: RegExp]

const REFUSED: Failure[] = [
  ['nonsense', 2, /unknown command 'nonsense'/],
  ['sreve', 2, /unknown command 'sreve'.*Did you mean serve\?/s],
  ['spool lst', 2, /unknown command 'lst'.*Did you mean list\?/s],
  ['serve --prot 1', 2, /unknown option '--prot'.*Did you mean --port\?/s],
  ['serve --port', 2, /'--port <number>' argument missing/],
  ['serve --port high', 2, /--port \(RUNLEDGER_PORT\) must be a whole number/],
  ['serve --public-url x', 2, /--public-url \(RUNLEDGER_PUBLIC_URL\)/],
  ['serve --max-attachment-bytes -1', 2, /--max-attachment-bytes/],
  ['serve extra', 2, /too many arguments/],
  ['serve --data /dev/null/data', 1, /data folder \/dev\/null\/data cannot be used/],
  ['init extra', 2, /too many arguments/],
  ['init --dir none --yes', 1, /there is no folder .*none/],
  ['init --dir .. --dry-run', 1, /there is no package\.json/],
  ['init --dir .. --undo --yes', 1, /there is no package\.json/],
  ['doctor extra', 2, /too many arguments/],
  ['doctor --dir none', 1, /there is no folder .*none/],
  ['status extra', 2, /too many arguments/],
  ['status --url ftp:x', 2, /option url .* cannot be "ftp:x"/],
  ['status --dir none', 1, /there is no folder .*none/],
  ['sign-in extra', 2, /too many arguments/],
  ['sign-in --url x', 2, /option url .* cannot be "x"/],
  ['sign-in --url http://127.0.0.1:9', 2, /no key for http:\/\/127\.0\.0\.1:9: set RUNLEDGER_API_KEY/],
  ['sign-in --dir none', 1, /there is no folder .*none/],
  ['sign-in --dir file', 1, /there is no folder .*file/],
  ['sign-in --dir file/none', 1, /there is no folder .*none/],
  ['sign-in --dir ../broken', 2, /credentials\.json holds no credentials/],
  [
    'open 01985a5e-0000-7000-8000-000000000000',
    1,
    /answered 404: The run with the id "01985a5e-0000-7000-8000-000000000000" was not found/,
  ],
  ['open ..', 2, /no id of a run/],
  ['open a b', 2, /too many arguments/],
  ['open --dir none', 1, /there is no folder .*none/],
  ['upload below', 2, /too many arguments/],
  ['upload --dir none', 1, /there is no folder .*none/],
  ['upload --dir', 2, /'--dir <dir>' argument missing/],
  ['spool list below', 2, /too many arguments/],
  ['spool list --dir none', 1, /there is no folder .*none/],
  ['spool show', 2, /missing required argument 'id'/],
  ['spool show a b', 2, /too many arguments/],
  ['spool show abc', 1, /no run waits with an id that begins with "abc"/],
  ['spool show abc --dir none', 1, /there is no folder .*none/],
  ['spool drop', 2, /say which runs, or --all/],
  ['spool drop abc --all', 2, /say which runs, or --all/],
  ['spool drop abc', 1, /no run waits with an id that begins with "abc"/],
  ['call getrun id=1', 2, /There is no operation "getrun". Did you mean getRun\?/],
  ['call getRun', 2, /needs the parameter "id"/],
  ['call getRun id=..', 2, /cannot be "\.\."/],
  ['call getRun id=01985a5e-0000-7000-8000-000000000000', 1, /answered 404/],
  ['call listRuns limit', 2, /"limit" is not name=value/],
  ['call listRuns limits=1', 2, /does not take "limits". Did you mean limit\?/],
  ['call listRuns limit=0', 1, /answered 400: .*limit must be at least 1/],
  ['call listRuns --url x', 2, /option url .* cannot be "x"/],
  ['call createStation --body {', 2, /the body is not JSON/],
  ['call createStation --body @none', 1, /cannot read none: ENOENT/],
  ['call createStation --body @file', 2, /the body is not JSON/],
  ['call createStation', 1, /answered 4\d\d/],
  ['gate', 2, /which build\? Name its group, or set RUNLEDGER_GROUP/],
  ['gate ..', 2, /"\.\." is no group of a build/],
  ['gate a b', 2, /too many arguments/],
  ['gate a --fail-on old', 2, /There are: new, any, slower, incomplete\./],
  ['gate a --allow all', 2, /There are: flaky, incomplete, no-basis, /],
  ['gate a --wait soon', 2, /Give 0, 90s, 5m or 1h\./],
  ['gate a --fail-on incomplete --allow incomplete', 2, /exclude each other/],
  ['gate a --url x', 2, /option url .* cannot be "x"/],
  ['gate a --dir none', 1, /there is no folder .*none/],
  ['check one two', 2, /too many arguments/],
  ['check --data none', 1, /There is no Runledger data in .*none: it has no runledger\.db/],
  ['check .', 1, /the data of \S+ is in \S+\.runledger: npx runledger check --data \S+\.runledger/],
  ['check --data', 2, /'--data <folder>' argument missing/],
  ['backup', 2, /missing required argument 'dir'/],
  ['backup a b', 2, /too many arguments/],
  ['backup new --data none', 1, /There is no Runledger data in .*none/],
  ['backup below', 1, /below is not empty, and is not a backup/],
  ['backup .runledger/below', 1, /are in each other/],
  ['restore', 2, /missing required argument 'dir'/],
  ['restore below --data new', 1, /There is no backup in .*below/],
  ['restore none', 1, /There is no backup in .*none/],
]

describe('a command that fails', () => {
  it.each(REFUSED)('runledger %s ends with %i', async (line, code, message) => {
    const asText = await run(line)
    expect(asText).toMatchObject({ code, out: '', err: expect.stringMatching(message) as unknown })
    const asJson = await run(withJson(line))
    expect(asJson.code).toBe(code)
    expect(JSON.parse(asJson.out)).toEqual({ error: expect.stringMatching(message) as unknown })
  })

  it.each(['', 'spool'])('runledger %s without a command prints its help and ends with 2', async (line) => {
    expect(await run(line)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Usage:') as unknown,
    })
  })

  it.each<[line: string, message: RegExp]>([
    ['sign-in', /no service to ask: set RUNLEDGER_URL and RUNLEDGER_API_KEY/],
    ['open', /no service to ask/],
    ['call listRuns', /no service to ask/],
  ])('runledger %s where there is no service ends with 2', async (line, message) => {
    const { code, out } = await run(withJson(line), { cwd: empty })
    expect(code).toBe(2)
    expect(JSON.parse(out)).toEqual({ error: expect.stringMatching(message) as unknown })
  })

  it.each(['sign-in', 'open', 'call listRuns'])(
    'runledger %s where nothing listens ends with 1',
    async (line) => {
      const env = { RUNLEDGER_URL: 'http://127.0.0.1:9', RUNLEDGER_API_KEY: 'key' }
      const { code, out, err } = await run(withJson(line), { env })
      expect(code).toBe(1)
      expect(err).toMatch(/^runledger: no response from .*ECONNREFUSED.*\n$/)
      expect(JSON.parse(out)).toEqual({ error: expect.stringContaining('ECONNREFUSED') as unknown })
    },
  )
})
