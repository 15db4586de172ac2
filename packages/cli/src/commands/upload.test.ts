import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startMisbehavingServer, type MisbehavingServer } from '../../../../test/support/misbehaving-server'
import {
  KEY,
  sha256,
  suiteWith,
  useSpoolBench,
  type SpoolBench,
} from '../../../../test/support/spool-execution'
import { main } from '../main'
import type { CommandContext } from '../command-context'

let bench: SpoolBench
let server: MisbehavingServer

useSpoolBench((fresh) => ({ bench, server } = fresh))

async function run(
  argv: string[],
  over: Omit<Partial<CommandContext>, 'env'> & { env?: Record<string, string> } = {},
) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const env = {
    RUNLEDGER_URL: server.url,
    RUNLEDGER_API_KEY: KEY,
    RUNLEDGER_SPOOL_DIR: bench.spoolDir,
    ...over.env,
  }
  const code = await main(argv, output, { cwd: bench.dir, ...over, env })
  return { code, ...written }
}

const shot = { name: 'shot.png', bytes: Buffer.from('a screenshot') }

/** Two runs that the service would not take yet. */
async function fillSpool(options = {}): Promise<void> {
  await server.misbehave('answers 503')
  const settings = { url: server.url, logs: false, maxRetries: 0, ...options }
  await bench.record([suiteWith('a.test.ts', [shot]), suiteWith('b.test.ts')], settings)
  await server.recover()
}

describe('runledger upload', () => {
  it('sends what waits, says what went where, and answers 0', async () => {
    await fillSpool()
    const { code, out, err } = await run(['upload'], { env: { RUNLEDGER_DISABLED: '1' } })
    expect(code).toBe(0)
    expect(out).toMatch(/^sent {2}[ab]\.test\.ts {2}http:\/\/127\.0\.0\.1:\d+\/runs\/[0-9a-f-]{36}$/m)
    expect(out).toMatch(/\n2 runs sent\.\n$/)
    expect(err.trim().split('\n').sort()).toEqual(['sent a.test.ts', 'sent b.test.ts'])
    expect(server.service.runs.map(({ attachments }) => attachments)).toContainEqual({
      't/shot.png': sha256('a screenshot'),
    })
    expect(await run(['upload'])).toEqual({ code: 0, out: 'Nothing waits to be sent.\n', err: '' })
    expect(server.service.runs).toHaveLength(2)
  })

  it('answers 1 when something stays, with the reason and what to mend', async () => {
    await fillSpool()
    await server.misbehave('answers 401 after one request')
    const { code, out } = await run(['upload'])
    expect(code).toBe(1)
    expect(out).toMatch(
      /^stays {2}[ab]\.test\.ts {2}.*answered 401: .*; check apiKey \(RUNLEDGER_API_KEY\).*$/m,
    )
    expect(await bench.listEntries()).not.toEqual([])
  })

  it('sends what had been refused, once that is mended', async () => {
    await server.misbehave('answers 413')
    await bench.record([suiteWith('a.test.ts')], { url: server.url })
    await server.recover()
    expect((await run(['spool', 'list'])).out).toMatch(/ refused {2,}POST .* answered 413/)
    expect((await run(['upload'])).code).toBe(0)
    expect(server.service.runs).toHaveLength(1)
  })

  it('stops asking a service that does not answer', async () => {
    await fillSpool()
    await server.misbehave('refuses')
    const { code, out } = await run(['upload'])
    expect(code).toBe(1)
    expect(out).toContain('ECONNREFUSED')
    expect(out).toContain('0 runs sent, 2 not.')
  }, 30_000)

  it('writes one line of JSON for programs', async () => {
    await fillSpool()
    const { code, out, err } = await run(['upload', '--dir', bench.spoolDir, '--json'], {
      env: { RUNLEDGER_SPOOL_DIR: '' },
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const record = JSON.parse(out) as { sent: unknown[] }
    expect(record).toMatchObject({ waiting: [], quarantined: [], dropped: [] })
    expect(record.sent).toContainEqual({
      submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      file: 'a.test.ts',
      url: expect.stringContaining('/runs/'),
      refused: false,
      reason: null,
    })
  })

  it('draws a bar on a terminal, and takes it away again', async () => {
    await fillSpool()
    let drawn = ''
    const { err } = await run(['upload'], {
      terminal: { write: (text) => void (drawn += text), columns: 60 },
    })
    expect(err).toBe('')
    expect(drawn).toMatch(/█{24} 2\/2 [ab]\.test\.ts/)
    expect(drawn.endsWith('\r\u001b[K')).toBe(true)
  })

  it('leaves runs for another service alone, unless it is asked to redirect them', async () => {
    await fillSpool()
    const other = await startMisbehavingServer()
    const env = { RUNLEDGER_URL: other.url }
    const { code, out } = await run(['upload'], { env })
    expect(code).toBe(1)
    expect(out).toContain(`it is for another service, ${server.url}`)
    expect(out).toMatch(
      /^To drop what is for another service: npx runledger spool drop [\da-f]{8} [\da-f]{8}$/m,
    )
    expect((await run(['upload', '--url', other.url], { env })).code).toBe(0)
    expect(other.service.runs).toHaveLength(2)
    await other.stop()
  })

  it('uses the paths that a run was meant for, but of a spool that was named its own', async () => {
    await fillSpool({ createPath: '/v1/runs' })
    const before = server.requests.length
    await run(['upload'])
    const paths = server.requests.slice(before).map(({ path: asked }) => asked)
    expect(paths).toContain('/v1/runs/create')
    expect(paths).not.toContain('/v1/runs')
    const env = { RUNLEDGER_SPOOL_DIR: '', XDG_STATE_HOME: path.join(bench.dir, 'state') }
    await fillSpool({ createPath: '/v1/runs' })
    const home = path.join(bench.dir, 'state/runledger/spool')
    await mkdir(home, { recursive: true })
    await rename(bench.spoolDir, path.join(home, 'widget-0123456789abcdef'))
    await run(['upload', '--dir', path.dirname(bench.dir)], { env })
    expect(server.requests.at(-1)?.path).toBe('/v1/runs')
  })

  it('finds the user’s spools of a project and of those in it', async () => {
    const env = { RUNLEDGER_SPOOL_DIR: '', XDG_STATE_HOME: path.join(bench.dir, 'state') }
    await fillSpool()
    const home = path.join(bench.dir, 'state/runledger/spool')
    await mkdir(home, { recursive: true })
    await rename(bench.spoolDir, path.join(home, 'widget-0123456789abcdef'))
    expect((await run(['upload', '--dir', path.dirname(bench.dir)], { env })).out).toContain('2 runs sent')
    expect(await readdir(home)).toEqual(['widget-0123456789abcdef'])
  })

  it('says what is missing when it has no service to send to', async () => {
    await fillSpool()
    const { code, err } = await run(['upload'], { env: { RUNLEDGER_URL: '', RUNLEDGER_API_KEY: '' } })
    expect(code).toBe(2)
    expect(err).toMatch(/^runledger: no service to send to: set RUNLEDGER_URL and RUNLEDGER_API_KEY/)
  })
})

describe('runledger spool', () => {
  it('lists what waits and why, as a table and as JSON', async () => {
    await fillSpool()
    const { out } = await run(['spool', 'list'])
    expect(out.split('\n')[0]).toMatch(/^id +finished \(UTC\) +run +size +state +why$/)
    expect(out).toMatch(
      /^[0-9a-f]{8} {2}20\d\d-\d\d-\d\d [\d:]{8} {2}a\.test\.ts {2}passed {2}\d+\.\d kB +waits +POST .* answered 503/m,
    )
    const lines = (await run(['spool', 'list', '--json'])).out.trim().split('\n')
    const [dir = ''] = await bench.listExecutions()
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { state: 'waits', service: server.url, project_root: bench.dir },
      {
        submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        execution_id: path.basename(dir),
        state: 'waits',
        finished_at: expect.stringMatching(/^20\d\d-/),
        reason: expect.stringContaining('503'),
      },
    ])
  })

  it('shows one run by the beginning of its id', async () => {
    await fillSpool()
    const [id = ''] = await bench.listEntries()
    const shown = JSON.parse((await run(['spool', 'show', id.slice(0, 8)])).out) as unknown
    expect(shown).toMatchObject({
      state: 'waits',
      acknowledged: { run: null },
      content: { submissionId: id, line: { request: { procedure_id: 'FVT1' } } },
    })
    const { code, err } = await run(['spool', 'show', 'zzz'])
    expect({ code, err }).toEqual({
      code: 1,
      err: 'runledger: no run waits with an id that begins with "zzz"; see runledger spool list\n',
    })
  })

  it('says what is wrong with an execution that cannot be read, wherever it lies', async () => {
    await fillSpool()
    const [dir = ''] = await bench.listExecutions()
    const id = path.basename(dir)
    await writeFile(path.join(dir, 'log.jsonl'), '{"kind":"execution","version":1}\n')
    const show = async () => JSON.parse((await run(['spool', 'show', id.slice(0, 8)])).out) as unknown
    const problem = 'its log.jsonl is cut, or of another program'
    expect(await show()).toEqual({ folder: dir, state: 'quarantined', problem })
    const { out: listed } = await run(['spool', 'list', '--json'])
    expect(JSON.parse(listed)).toMatchObject({ submission_id: null, execution_id: id })
    const { code, out } = await run(['upload'])
    expect(code).toBe(0)
    expect(out).toContain(`quarantined  ${id}  ${problem}`)
    expect(await show()).toEqual({
      folder: path.join(bench.spoolDir, 'quarantine', id),
      state: 'quarantined',
      problem,
    })
    expect(server.service.runs).toEqual([])
  })

  it('says so too when the system does not let it be read', async () => {
    await fillSpool()
    const [dir = ''] = await bench.listExecutions()
    await rm(path.join(dir, 'log.jsonl'))
    await mkdir(path.join(dir, 'log.jsonl'))
    const { code, out } = await run(['spool', 'show', path.basename(dir)])
    expect(JSON.parse(out)).toMatchObject({ state: 'waits', problem: expect.stringContaining('EISDIR') })
    expect(code).toBe(0)
    const { out: listed } = await run(['spool', 'list', '--json'])
    expect(JSON.parse(listed)).toMatchObject({ submission_id: null, execution_id: path.basename(dir) })
  })

  it('drops one, all, and what is in quarantine, but nothing that an execution has', async () => {
    await fillSpool()
    const [dir = ''] = await bench.listExecutions()
    await writeFile(path.join(dir, 'log.jsonl'), '')
    await fillSpool()
    const busy = bench.open({ url: server.url, logs: false })
    busy.addSuite(suiteWith('busy.test.ts', [{ name: 'shot.png', bytes: Buffer.from('shot') }]))
    await busy.settled()
    expect(await bench.listEntries()).toHaveLength(3)
    const { out: listed } = await run(['spool', 'list'])
    expect(listed).toMatch(/ busy\.test\.ts .* busy/)
    expect(listed).toMatch(/ quarantined +its log\.jsonl is cut/)
    expect((await run(['spool', 'drop'])).code).toBe(2)
    expect(await run(['spool', 'drop', '--all'])).toEqual({
      code: 1,
      out: '',
      err: 'runledger: 4 runs would be lost: add --yes\n',
    })
    expect(await bench.listEntries()).toHaveLength(3)
    const { code, out, err } = await run(['spool', 'drop', '--all', '--yes'])
    expect(code).toBe(1)
    expect(out).toBe('3 runs dropped.\n')
    expect(err).toMatch(/^[0-9a-f]{8} stays: another process has it\n$/)
    expect(await bench.listEntries()).toHaveLength(1)
    await busy.finish()
  })

  it('drops the others when the system refuses one, and says why that stays', async () => {
    await server.misbehave('answers 503')
    const settings = { url: server.url, logs: false, maxRetries: 0 }
    await bench.record([suiteWith('a.test.ts')], settings)
    const [dir = ''] = await bench.listExecutions()
    await bench.record([suiteWith('b.test.ts')], settings)
    // In the place of an old lease: it cannot be removed as the file that it should be.
    const lease = path.join(dir, 'lease-0-1-1-0')
    await mkdir(lease)
    await utimes(lease, 0, 0)
    const { code, out, err } = await run(['spool', 'drop', '--all', '--yes', '--json'])
    expect({ code, out }).toEqual({ code: 1, out: '{"dropped":1}\n' })
    expect(err).toMatch(/^[0-9a-f]{8} stays: .*lease-0-1-1-0.*\n$/)
    expect(await bench.listExecutions()).toEqual([dir])
  })

  it('asks on a terminal before all are dropped', async () => {
    await fillSpool()
    const asked: string[] = []
    let agrees = false
    const confirm = async (question: string) => asked.push(question) > 0 && agrees
    expect(await run(['spool', 'drop', '--all'], { confirm })).toMatchObject({ code: 1 })
    expect(await bench.listEntries()).toHaveLength(2)
    agrees = true
    expect(await run(['spool', 'drop', '--all'], { confirm })).toMatchObject({
      code: 0,
      out: '2 runs dropped.\n',
    })
    expect(asked).toEqual(Array(2).fill(`Drop 2 runs of ${bench.dir} for good?`))
  })

  it.each([
    ['a spool of its own', 'below-spool'],
    ['the same spool', 'spool'],
  ])('leaves the runs of a project below the folder alone, which has %s', async (_, folder) => {
    await fillSpool()
    await server.misbehave('answers 503')
    const below = path.join(bench.dir, 'below')
    await mkdir(below)
    const home = path.join(bench.dir, 'state')
    const isShared = folder === 'spool'
    const spoolDir = isShared ? bench.spoolDir : path.join(home, 'runledger/spool/below')
    const execution = bench.open(
      { url: server.url, logs: false, maxRetries: 0, spoolDir },
      { rootDir: below },
    )
    execution.addSuite(suiteWith('below.test.ts'))
    await execution.finish()
    if (!isShared) {
      await mkdir(path.join(home, 'runledger/spool'), { recursive: true })
      await rename(bench.spoolDir, path.join(home, 'runledger/spool/own'))
    }
    const env = { RUNLEDGER_SPOOL_DIR: isShared ? bench.spoolDir : '', XDG_STATE_HOME: home }
    const { out, err } = await run(['spool', 'drop', '--all', '--yes'], { env })
    expect(out).toBe('2 runs dropped.\n')
    expect(err).toBe(`${below} is another project: its runs stay; name it with --dir\n`)
    expect((await run(['spool', 'list'], { env })).out).toContain('below.test.ts')
    const rest = await run(['spool', 'drop', '--all', '--yes', '--dir', 'below'], { env })
    expect(rest.out).toBe('1 run dropped.\n')
  })

  it.each([['spool', 'list'], ['upload']])('says that a folder is not there: %s', async (...argv) => {
    const { code, err } = await run([...argv, '--dir', 'no-such-folder'])
    expect({ code, err }).toEqual({
      code: 1,
      err: `runledger: there is no folder ${path.join(bench.dir, 'no-such-folder')}\n`,
    })
  })
})
