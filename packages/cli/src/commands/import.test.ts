import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { copyFile, mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { main } from '../main'

let server: RunningServer
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-import-'))
  const data = path.join(folder, '.runledger')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
})

afterEach(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(argv: string[], env: Record<string, string> = {}) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const state = path.join(folder, 'state')
  const code = await main(argv, output, { cwd: folder, env: { XDG_STATE_HOME: state, ...env } })
  return { code, ...written }
}

interface StoredRun {
  id: string
  outcome: string
  metadata: Record<string, string>
}

async function listRuns(): Promise<StoredRun[]> {
  const { out } = await run(['call', 'listRuns', 'include_metadata=true', '--json'])
  return (JSON.parse(out) as { data: StoredRun[] }).data
}

const LAMP = `<testsuites><testsuite name="lamp" timestamp="2026-01-02T03:04:05Z" time="2">
  <testcase name="lights" time="1"/>
  <testcase name="is red" time="1"><failure message="token tok-123456789 is green" type="ColourError">at lamp:1</failure></testcase>
</testsuite><testsuite name="bulb"><testcase name="fits" time="0.5"/></testsuite>
<testsuite name="fuse"><testcase name="holds"><skipped message="no fuse"/></testcase></testsuite></testsuites>`

it('writes the runs of a repeated test to a file, and puts nothing on record', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const file = path.join(folder, 'runs.jsonl')
  await writeFile(file, '', { mode: 0o600 })
  const { code, out } = await run(['import', 'lamp.xml'], { RUNLEDGER_REPEAT_FILE: file })
  expect([code, out]).toEqual([0, expect.stringContaining('3 runs: 3 new.')])
  const runs = (await readFile(file, 'utf8')).trimEnd().split('\n')
  expect(runs.map((line) => JSON.parse(line) as object)).toMatchObject([
    { run_passed: false, report_variables: { file: 'lamp' } },
    { run_passed: true, report_variables: { file: 'bulb' } },
  ])
  expect(await listRuns()).toEqual([])
})

it('puts a file on record once, with its times, errors and secrets masked', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const first = await run(['import', 'lamp.xml', '--group', 'g1'], { LAMP_TOKEN: 'tok-123456789' })
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toMatch(/^recorded +lamp\.xml +lamp +failed +1 passed, 1 failed +http.*\/runs\//m)
  expect(first.out).toContain('3 runs: 2 recorded, 1 nothing ran.')
  const again = await run(['import', 'lamp.xml', 'lamp.xml', '--group', 'g1'])
  expect(again.out).toMatch(/^already on record +lamp\.xml +lamp .* run [0-9a-f-]{36}$/m)
  expect(again.code).toBe(0)
  const runs = await listRuns()
  expect(runs).toHaveLength(2)
  const failed = runs.find(({ outcome }) => outcome === 'FAIL')
  expect(failed?.metadata).toMatchObject({
    framework: 'junit',
    file: 'lamp',
    group: 'g1',
    imported_file: 'lamp.xml',
  })
  expect(Object.keys(failed?.metadata ?? {})).not.toContain('node')
  const { out } = await run(['call', 'getRun', `id=${failed?.id}`, '--json'])
  expect(JSON.parse(out)).toMatchObject({
    started_at: '2026-01-02T03:04:05.000Z',
    phases: [
      { name: 'lights' },
      { name: 'is red', error: { message: 'ColourError: token *** is green', stack: 'at lamp:1' } },
    ],
  })
})

it('makes other runs of the same file for another unit', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const unit = (serialNumber: string) => [
    'import',
    'lamp.xml',
    '--serial-number',
    serialNumber,
    '--part-number',
    'L',
  ]
  expect((await run(unit('LAMP-1'))).out).toContain('2 recorded')
  expect((await run(unit('LAMP-2'))).out).toContain('2 recorded')
  expect((await run(unit('LAMP-2'))).out).toContain('2 already on record')
})

it('makes other runs of the same file under another procedure', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const created = await run(['call', 'createProcedure', '--body', '{"name": "Other", "identifier": "OTHER"}'])
  expect(created.code).toBe(0)
  await run(['import', 'lamp.xml'])
  expect(
    (
      await run([
        'import',
        'lamp.xml',
        '--procedure',
        'OTHER',
        '--serial-number',
        'SN-1',
        '--part-number',
        'P',
      ])
    ).code,
  ).toBe(0)
  expect(await listRuns()).toHaveLength(4)
})

it('shows what it would do, and sends nothing', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const { code, out } = await run(['import', 'lamp.xml', '--dry-run'])
  expect(code).toBe(0)
  expect(out).toMatch(/^new +lamp\.xml +lamp +failed +1 passed, 1 failed$/m)
  expect(out).toContain('Nothing was sent.')
  expect(await listRuns()).toEqual([])
  const offline = await run(['import', 'lamp.xml', '--dry-run'], {
    RUNLEDGER_URL: 'http://127.0.0.1:9',
    RUNLEDGER_API_KEY: 'key-1234',
    RUNLEDGER_PROCEDURE_ID: 'p',
  })
  expect(offline).toMatchObject({
    code: 0,
    err: expect.stringContaining('what is on record already is not known'),
  })
})

it('names the files that it cannot read, and puts the others on record', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  await writeFile(path.join(folder, 'cut.xml'), LAMP.slice(0, 300))
  await writeFile(path.join(folder, 'huge.xml'), '')
  await truncate(path.join(folder, 'huge.xml'), 1e9)
  await mkdir(path.join(folder, 'reports'))
  const { code, err, out } = await run(['import', 'cut.xml', 'huge.xml', 'none.xml', 'reports', 'lamp.xml'])
  expect(code).toBe(1)
  expect(err.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^runledger: cut\.xml: it is not well-formed XML at line \d+, column \d+: unclosed/,
    ),
    expect.stringMatching(/^runledger: huge\.xml: its 1000000000 bytes are over the limit of 134217728/),
    'runledger: none.xml: there is no such file',
    expect.stringMatching(/^runledger: reports: it is a folder/),
  ])
  expect(out).toContain('2 recorded')
  expect(await listRuns()).toHaveLength(2)
})

it('keeps what could not be sent, and sends it once when asked again', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const { code, out } = await run(['import', 'lamp.xml', '--procedure', 'NONE'])
  expect(code).toBe(1)
  expect(out).toMatch(/^not recorded +lamp\.xml .*check procedureId/m)
  expect(out).toContain('2 runs waiting: npx runledger upload sends them.')
  expect(
    (await run(['call', 'createProcedure', '--body', '{"name": "None", "identifier": "NONE"}'])).code,
  ).toBe(0)
  const again = await run(['import', 'lamp.xml', '--procedure', 'NONE', '--json'])
  expect(JSON.parse(again.out)).toMatchObject({
    known: [{ file: 'lamp' }, { file: 'bulb' }],
    recorded: [],
    empty: [{ file: 'fuse' }],
  })
  expect(again.code).toBe(0)
  expect(await listRuns()).toHaveLength(2)
})

it('sends nothing without a key, and says so in one line', async () => {
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const { code, err } = await run(['import', 'lamp.xml', '--procedure', 'p', '--url', 'http://127.0.0.1:9'])
  expect(code).toBe(2)
  expect(err).toBe('runledger: no key for http://127.0.0.1:9: set RUNLEDGER_API_KEY\n')
})

it('imports a report of OpenHTF through the service, once', async () => {
  const recordings = path.resolve(import.meta.dirname, '../../../readers/recordings')
  await run(['call', 'createProcedure', '--body', '{"name":"Final test","identifier":"FVT1"}'])
  for (const name of ['every-kind', 'timeout'])
    await copyFile(path.join(recordings, `openhtf-${name}.json`), path.join(folder, `${name}.json`))
  const dry = await run(['import', 'every-kind.json', '--dry-run'])
  expect(dry.out).toMatch(/^new +every-kind\.json +SN-0042 +failed +5 passed, 4 failed, 2 skipped/m)
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  const first = await run(['import', 'every-kind.json', 'timeout.json', 'lamp.xml', '--group', 'g1'])
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toMatch(/^recorded +every-kind\.json +SN-0042 +failed .*http.*\/runs\//m)
  const again = await run(['import', 'every-kind.json'])
  expect(again.out).toMatch(/^already on record +every-kind\.json +SN-0042 .* run [0-9a-f-]{36}$/m)
  const runs = await listRuns()
  expect(runs.map(({ outcome }) => outcome).toSorted()).toEqual(['FAIL', 'FAIL', 'PASS', 'TIMEOUT'])
  await run(['import', 'every-kind.json', '--group', 'g2'])
  expect((await listRuns()).filter(({ metadata }) => metadata['group'] === 'g1')).toHaveLength(4)
})

it('imports a report of OpenHTF that begins with a byte order mark', async () => {
  const recording = path.resolve(import.meta.dirname, '../../../readers/recordings/openhtf-pass.json')
  await run(['call', 'createProcedure', '--body', '{"name":"Final test","identifier":"FVT1"}'])
  await writeFile(path.join(folder, 'marked.json'), `\uFEFF${await readFile(recording, 'utf8')}`)
  expect(await run(['import', 'marked.json'])).toMatchObject({ code: 0, err: '' })
  expect(await listRuns()).toMatchObject([{ outcome: 'PASS' }])
})

it('says where a report of OpenHTF cannot be read, and what does not go with one', async () => {
  const report = { dut_id: 'SN-1', start_time_millis: 1, outcome: 'FINE', phases: [] }
  await writeFile(path.join(folder, 'wrong.json'), JSON.stringify(report))
  const wrong = await run(['import', 'wrong.json'])
  expect(wrong.code).toBe(1)
  expect(wrong.err).toContain('wrong.json: outcome is "FINE"')
  await writeFile(path.join(folder, 'right.json'), JSON.stringify({ ...report, outcome: 'PASS' }))
  expect((await run(['import', 'right.json', '--serial-number', 'SN-2'])).err).toContain(
    'it names its unit itself',
  )
  const unknown = await run(['import', 'right.json', '--procedure', 'FVT9'])
  expect(unknown.code).toBe(1)
  expect(unknown.out).toMatch(/^not recorded +right\.json .*FVT9/m)
})

const MAPPING = `
runs: row
timeZone: Europe/Oslo
fields:
  serial_number: { column: SN }
  part_number: { value: PCB01 }
  procedure: { value: FCT }
  started_at: { column: Start }
  outcome: { column: Result }
measurements:
  layout: wide
  columns:
    - { column: U, units: V, lowerLimit: 4.75, upperLimit: 5.25 }
`

it('imports the rows of a CSV file by a mapping, each once, also when the file has grown', async () => {
  await writeFile(path.join(folder, 'line.yaml'), MAPPING)
  const row = (sn: string, volts: number, result: string) => `${sn},2026-03-05 08:00:00,${result},${volts}\n`
  const day = path.join(folder, 'day.csv')
  await writeFile(day, `SN,Start,Result,U\n${row('A-1', 5.01, 'PASS')}${row('A-2', 5.31, 'FAIL')}`)
  const first = await run(['import', 'day.csv', '--mapping', 'line.yaml'])
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toMatch(/^recorded +day\.csv +A-2 +failed .*http.*\/runs\//m)
  await writeFile(day, (await readFile(day, 'utf8')) + row('A-3', 5, 'PASS'))
  const grown = await run(['import', 'day.csv', '--mapping', 'line.yaml'])
  expect(grown.out).toContain('3 runs: 1 recorded, 2 already on record.')
  const { out } = await run(['call', 'listRuns', '--json'])
  const { data } = JSON.parse(out) as { data: { started_at: string; procedure: { name: string } }[] }
  expect(data).toHaveLength(3)
  expect(data[0]).toMatchObject({ started_at: '2026-03-05T07:00:00.000Z', procedure: { name: 'FCT' } })
})

/** Forwards requests. Closes the connection of the first import before the response. */
async function startBreakingProxy(): Promise<{ url: string; asked: string[]; close(): void }> {
  const asked: string[] = []
  const proxy = http.createServer((incoming, response) => {
    const { method = '', url: address = '', headers } = incoming
    asked.push(address)
    const isFirst = asked.filter((one) => one.startsWith('/v2/imports')).length === 1
    const outgoing = http.request(`${server.url}${address}`, { method, headers }, (answer) => {
      if (address.startsWith('/v2/imports') && isFirst) return response.destroy()
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, close: () => void proxy.close() }
}

it('repeats an import that got no answer, and records nothing twice', async () => {
  await writeFile(path.join(folder, 'line.yaml'), MAPPING)
  const row = (sn: string) => `${sn},2026-03-05 08:00:00,PASS,5\n`
  await writeFile(path.join(folder, 'day.csv'), `SN,Start,Result,U\n${row('A-1')}${row('A-2')}`)
  const proxy = await startBreakingProxy()
  const { key } = JSON.parse(
    (await run(['call', 'createKey', '--body', '{"kind":"user","name":"k"}', '--json'])).out,
  ) as { key: string }
  try {
    const { code, out } = await run(['import', 'day.csv', '--mapping', 'line.yaml', '--url', proxy.url], {
      RUNLEDGER_API_KEY: key,
    })
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining('2 runs: 2 already on record.') as string,
    })
    expect(proxy.asked.filter((one) => one.startsWith('/v2/imports'))).toHaveLength(2)
    expect(await listRuns()).toHaveLength(2)
  } finally {
    proxy.close()
  }
})

it('says once why a file of many runs was not recorded', async () => {
  await writeFile(path.join(folder, 'line.yaml'), MAPPING.replace('  part_number: { value: PCB01 }\n', ''))
  const rows = Array.from({ length: 30 }, (_, index) => `B-${index},2026-03-05 08:00:00,PASS,5\n`)
  await writeFile(path.join(folder, 'day.csv'), `SN,Start,Result,U\n${rows.join('')}`)
  const { code, out } = await run(['import', 'day.csv', '--mapping', 'line.yaml'])
  expect(code).toBe(1)
  expect(out).toMatch(/^not recorded +day\.csv +30 runs .*part number/im)
  expect(out).toContain('30 runs: 30 not recorded.')
  expect(out.split('\n').length).toBeLessThan(8)
})

it.each([
  [
    'a member that is misspelt',
    'lowerLimit',
    'lowerLimits',
    'measurements.columns.0.lowerLimits is not a member of the mapping',
  ],
  ['a zone that is none', 'Europe/Oslo', 'Oslo', 'timeZone is "Oslo": must be the name of a time zone'],
  ['a field without a column', '{ column: SN }', 'SN', 'fields.serial_number is "SN": must be {"column"'],
])('names the member of a mapping: %s', async (_what, from, to, message) => {
  await writeFile(path.join(folder, 'line.yaml'), MAPPING.replace(from, to))
  await writeFile(path.join(folder, 'day.csv'), 'SN\n1\n')
  const { code, err } = await run(['import', 'day.csv', '--mapping', 'line.yaml'])
  expect(code).not.toBe(0)
  expect(err).toContain(`line.yaml: ${message}`)
})

it('imports a lot of STDF by its content, a run of each part, once', async () => {
  const recordings = path.resolve(import.meta.dirname, '../../../readers/recordings')
  await copyFile(path.join(recordings, 'lot-little.stdf'), path.join(folder, 'lot.std'))
  await copyFile(path.join(recordings, 'lot-big.stdf'), path.join(folder, 'same.std'))
  const dry = await run(['import', 'lot.std', '--dry-run'])
  expect(dry.out).toMatch(/^new +lot\.std +LOT7_W03_X5_Y-7 +failed +2 passed, 1 failed/m)
  const first = await run(['import', 'lot.std'])
  expect(first).toMatchObject({ code: 0, err: '' })
  expect(first.out).toContain('4 runs: 4 recorded.')
  expect((await run(['import', 'same.std'])).out).toContain('4 runs: 4 already on record.')
  expect((await listRuns()).map(({ outcome }) => outcome).toSorted()).toEqual([
    'ABORTED',
    'FAIL',
    'FAIL',
    'PASS',
  ])
  await writeFile(
    path.join(folder, 'cut.std'),
    (await readFile(path.join(folder, 'lot.std'))).subarray(0, 400),
  )
  const cut = await run(['import', 'cut.std'])
  expect(cut.code).not.toBe(0)
  expect(cut.err).toContain('cut.std: byte 394 has a record')
})
