import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunDetail } from '@runledger/protocol'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

const RECORDINGS = path.resolve(import.meta.dirname, '../../../../readers/recordings')
const recordingOf = (name: string) => readFileSync(path.join(RECORDINGS, `openhtf-${name}.json`))

let server: TestServer
let finalTestId: string

beforeAll(async () => {
  server = await startTestServer({}, { config: { maxBodyBytes: 1024 * 1024 } })
  const procedure = await server.send('POST', '/v2/procedures', { name: 'Final test', identifier: 'FVT1' })
  finalTestId = ((await procedure.json()) as { id: string }).id
})

afterAll(() => server.stop())

interface Imported {
  status: number
  body: { id: string; url: string; message: string; warnings?: string[]; issues?: { path: unknown[] }[] }
}

/** Uploads a file as clients of v1 do, and returns its id. */
async function uploadV1(bytes: Uint8Array | string, name = 'report.json'): Promise<string> {
  const initialized = await server.send('POST', '/v1/uploads/initialize', { name })
  const { id, uploadUrl } = (await initialized.json()) as { id: string; uploadUrl: string }
  const put = await fetch(uploadUrl, { method: 'PUT', body: new Blob([bytes as Uint8Array<ArrayBuffer>]) })
  expect(put.status).toBe(200)
  return id
}

async function importUpload(uploadId: string, change: object = {}, headers = {}): Promise<Imported> {
  const body = {
    upload_id: uploadId,
    importer: 'OPENHTF',
    client: 'Python',
    client_version: '2.16.1',
    ...change,
  }
  const response = await server.send('POST', '/v1/import', body, headers)
  return { status: response.status, body: (await response.json()) as Imported['body'] }
}

const importFile = async (bytes: Uint8Array | string, change = {}) =>
  importUpload(await uploadV1(bytes), change)

async function importRecording(name: string): Promise<RunDetail> {
  const { status, body } = await importFile(recordingOf(name))
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { message: `Run imported successfully with ID: ${body.id}` },
  })
  expect(body.url).toMatch(new RegExp(`/${body.id}$`))
  return server.getRun(body.id)
}

const countRuns = async () =>
  ((await (await server.send('GET', '/v2/runs?limit=100')).json()) as { data: unknown[] }).data.length

const LEAST = {
  dut_id: 'SN-7',
  start_time_millis: 1_700_000_000_000,
  end_time_millis: 1_700_000_001_000,
  outcome: 'PASS',
  metadata: { procedure_id: 'FVT1', part_number: 'PCB07' },
  phases: [] as unknown[],
}
const reportWith = (change: object) => JSON.stringify({ ...LEAST, ...change })

describe('POST /v1/import', () => {
  it('stores every phase, measurement, log and file of a report', async () => {
    const run = await importRecording('every-kind')
    expect(run).toMatchObject({
      outcome: 'FAIL',
      procedure: { identifier: 'FVT1', version: { tag: '1.2.20' } },
      unit: { serial_number: 'SN-0042', part: { number: 'PCB01', revision: { number: 'A' } } },
      docstring: 'A test of a widget',
      metadata: { station_id: 'bench-1', test_name: 'every-kind', gain: 3.5 },
    })
    expect(run.phases).toHaveLength(11)
    const measured = new Map(run.phases.flatMap((phase) => phase.measurements.map((one) => [one.name, one])))
    expect(measured.size).toBe(12 + 5 + 1 + 1)
    expect(measured.get('size')).toMatchObject({
      measured_value: 3,
      validators: [{ expression: 'x >= 1' }, { expression: 'x <= 4' }],
    })
    expect(measured.get('sweep')?.data_series).toMatchObject([
      { data: [0, 1, 2, 3, 4], units: 'Hz' },
      { data: [1, 2, 4, 8, 16], units: 'V' },
    ])
    expect(run.logs.some(({ message }) => message === 'Getting warm: 40 °C')).toBe(true)
    const files = run.attachments.map(({ name, size }) => `${name} ${size}`)
    expect(files).toEqual([
      `report.json ${recordingOf('every-kind').length}`,
      'attach_files/note 17',
      'attach_files/raw.bin 256',
      'repeat_once/try.txt 1',
      'repeat_once/try (2).txt 1',
    ])
    const note = run.attachments.find(({ name }) => name === 'attach_files/note')
    expect(await (await fetch(note?.download_url ?? '')).text()).toBe('This is the note.')
  })

  it.each([
    ['pass', 'PASS'],
    ['error', 'ERROR'],
    ['timeout', 'TIMEOUT'],
    ['stop', 'FAIL'],
    ['abort', 'ABORTED'],
    ['plug', 'ERROR'],
  ])('keeps the outcome of a test: %s', async (name, outcome) => {
    expect((await importRecording(name)).outcome).toBe(outcome)
  })

  it('counts files that the plug-in uploads by itself as delivered', async () => {
    const { id } = await importRecording('pass')
    const upload = await uploadV1('This is the note.', 'note')
    await server.send('POST', '/v1/uploads/sync', { upload_id: upload, run_id: id })
    const { attachments } = await server.getRun(id)
    expect(attachments.map(({ name }) => name)).toEqual(['report.json', 'note'])
  })

  it('keeps a file once that the report has and the plug-in uploads too', async () => {
    const { id } = await importRecording('every-kind')
    const upload = await uploadV1('This is the note.', 'note')
    await server.send('POST', '/v1/uploads/sync', { upload_id: upload, run_id: id })
    const other = await uploadV1('Another note.', 'raw.bin')
    await server.send('POST', '/v1/uploads/sync', { upload_id: other, run_id: id })
    const { attachments } = await server.getRun(id)
    expect(attachments.map(({ name }) => name)).toEqual([
      'report.json',
      'attach_files/raw.bin',
      'repeat_once/try.txt',
      'repeat_once/try (2).txt',
      'note',
      'raw.bin',
    ])
    const note = attachments.find(({ name }) => name === 'note')
    expect(await (await fetch(note?.download_url ?? '')).text()).toBe('This is the note.')
  })

  it('answers the same run when the same upload is imported again', async () => {
    const upload = await uploadV1(recordingOf('pass'))
    const first = await importUpload(upload)
    const runs = await countRuns()
    expect(await importUpload(upload)).toEqual(first)
    expect(await countRuns()).toBe(runs)
  })

  it('gives the same request, sent again meanwhile, the answer to the first', async () => {
    const phases = [{ name: 'a\0', outcome: 'PASS', start_time_millis: 1_700_000_000_000 }]
    const upload = await uploadV1(reportWith({ dut_id: 'SN-TWICE', phases }))
    const [first, second] = await Promise.all([importUpload(upload), importUpload(upload)])
    expect(first).toMatchObject({ status: 200, body: { warnings: [expect.stringContaining('NUL')] } })
    expect(second).toEqual(first)
  })

  it('refuses the same upload for another procedure', async () => {
    const upload = await uploadV1(recordingOf('pass'))
    await importUpload(upload)
    const again = await importUpload(upload, { procedure_id: server.procedureId })
    expect(again.status).toBe(409)
    expect(again.body.message).toContain('Upload the file again')
  })

  it('answers the same run for the same Idempotency-Key and the same file', async () => {
    const headers = { 'Idempotency-Key': 'file-1' }
    const first = await importUpload(await uploadV1(recordingOf('stop')), {}, headers)
    const again = await importUpload(await uploadV1(recordingOf('stop')), {}, headers)
    expect(again.body.id).toBe(first.body.id)
  })

  it('refuses an upload that belongs to another run', async () => {
    const upload = await uploadV1(recordingOf('pass'))
    const { id } = await server.createRun()
    await server.send('POST', '/v1/uploads/sync', { upload_id: upload, run_id: id })
    expect(await importUpload(upload)).toMatchObject({ status: 409 })
  })

  it('takes the procedure of the request before that of the report', async () => {
    const { body } = await importFile(recordingOf('pass'), { procedure_id: server.procedureId })
    expect((await server.getRun(body.id)).procedure.id).not.toBe('')
    expect((await server.getRun(body.id)).procedure.identifier).not.toBe('FVT1')
    const none = await importFile(reportWith({ metadata: { part_number: 'PCB07' } }))
    expect(none).toMatchObject({ status: 400, body: { issues: [{ path: ['procedure_id'] }] } })
    const unknown = await importFile(reportWith({ metadata: { ...LEAST.metadata, procedure_id: 'FVT9' } }))
    expect(unknown).toMatchObject({ status: 404 })
    expect(unknown.body.message).toContain('FVT9')
  })

  it('needs a part number for a new serial number', async () => {
    const refused = await importFile(reportWith({ dut_id: 'SN-NEW', metadata: { procedure_id: 'FVT1' } }))
    expect(refused.status).toBe(400)
    expect(refused.body.message.toLowerCase()).toContain('part number')
  })

  it.each([
    ['an empty file', '', 'empty'],
    ['half a file', '{"dut_id": "SN', 'not valid JSON'],
    ['text', 'hello', 'not valid JSON'],
    ['JSON of something else', '{"results": []}', 'dut_id is missing'],
    ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'UTF-16'],
    ['Latin-1', Buffer.from('{"dut_id": "é"}', 'latin1'), 'UTF-8'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'gzip'],
    ['a wrong outcome', reportWith({ outcome: 'FINE' }), 'outcome is "FINE"'],
    [
      'a wrong phase',
      reportWith({ phases: [{ name: 'a', start_time_millis: 'x' }] }),
      'phases.0.start_time_millis',
    ],
    [
      'a deep value',
      reportWith({ metadata: { ...LEAST.metadata, x: 'DEEP' } }).replace('"DEEP"', deep(100_000)),
      'nested too deep',
    ],
    ['a million lists', '['.repeat(1_000_000), 'more than'],
    [
      'a million phases',
      reportWith({ phases: 'MANY' }).replace('"MANY"', `[${'{},'.repeat(1_000_000)}{}]`),
      'more than',
    ],
    ['a million numbers that are none', `[${'NaN,'.repeat(1_000_000)}0]`, 'more than'],
    [
      'a deep measured value',
      reportWith({
        phases: [
          {
            name: 'a',
            start_time_millis: 1,
            outcome: 'PASS',
            measurements: { m: { outcome: 'PASS', measured_value: 'DEEP' } },
          },
        ],
      }).replace('"DEEP"', deep(100_000)),
      'nested deeper',
    ],
    ['too long a file', ' '.repeat(5 * 1024 * 1024), 'an import takes at most 4194304'],
  ])('refuses %s with a place, stores nothing and keeps the file', async (_what, bytes, words) => {
    const runs = await countRuns()
    const upload = await uploadV1(bytes)
    const { status, body } = await importUpload(upload)
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringContaining(words) as string,
    })
    expect(await countRuns()).toBe(runs)
    expect((await server.send('POST', `/v2/attachments/${upload}/finalize`)).status).toBe(200)
    expect(server.logged).toEqual([])
  })

  it('says that a file is not there yet, or not at all', async () => {
    const initialized = await server.send('POST', '/v1/uploads/initialize', { name: 'x' })
    const { id } = (await initialized.json()) as { id: string }
    expect(await importUpload(id)).toMatchObject({ status: 400 })
    expect(await importUpload('00000000-0000-4000-8000-000000000000')).toMatchObject({ status: 404 })
  })

  it('answers others while a long report is read', async () => {
    const phases = Array.from({ length: 10_000 }, (_, index) => ({
      name: `phase ${index}`,
      outcome: 'PASS',
      start_time_millis: 1_700_000_000_000 + index,
      measurements: { a: { name: 'a', outcome: 'PASS', measured_value: index, validators: ['1 <= x <= 4'] } },
    }))
    const importing = importFile(reportWith({ dut_id: 'SN-LONG', phases }))
    const waits: number[] = []
    let isDone = false
    const isOver = () => isDone
    void importing.then(() => (isDone = true))
    while (!isOver()) {
      const at = performance.now()
      await server.send('GET', '/healthz')
      waits.push(performance.now() - at)
    }
    const { status, body } = await importing
    expect(status).toBe(200)
    expect((await server.getRun(body.id)).phases).toHaveLength(10_000)
    expect(Math.max(...waits)).toBeLessThan(2_000)
  })
})

describe('a station', () => {
  async function createStation(): Promise<{ id: string; key: string }> {
    const post = async <Body>(address: string, body: object) =>
      (await (await server.send('POST', address, body)).json()) as Body
    const { id } = await post<{ id: string }>('/v2/stations', { name: `Bench ${Math.random()}` })
    const { key } = await post<{ key: string }>('/v2/keys', { kind: 'station', name: 'k', station_id: id })
    return { id, key }
  }

  it('imports its own uploads for its own procedures', async () => {
    const station = await createStation()
    const headers = { authorization: `Bearer ${station.key}` }
    const initialized = await server.send('POST', '/v1/uploads/initialize', { name: 'r.json' }, headers)
    const { id, uploadUrl } = (await initialized.json()) as { id: string; uploadUrl: string }
    await fetch(uploadUrl, { method: 'PUT', body: recordingOf('pass') })
    expect(await importUpload(id)).toMatchObject({ status: 403 })
    const unlinked = await importUpload(id, {}, headers)
    expect(unlinked).toMatchObject({ status: 403 })
    expect(unlinked.body.message).toContain('not authorized')
    const linked = await server.send('PUT', `/v2/stations/${station.id}/procedures/${finalTestId}`)
    expect(linked.status).toBe(200)
    const imported = await importUpload(id, {}, headers)
    expect(imported).toMatchObject({ status: 200 })
    expect((await server.getRun(imported.body.id)).created_by_station?.id).toBe(station.id)
    const foreign = await importUpload(await uploadV1(recordingOf('pass')), {}, headers)
    expect(foreign).toMatchObject({ status: 403 })
    expect(foreign.body.message).toContain("another's")
  })
})

describe('POST /v2/imports/structured', () => {
  it('imports each file by itself', async () => {
    const items = [
      { upload_id: await server.upload('a.json', recordingOf('pass')), importer: 'OPENHTF' },
      { upload_id: await server.upload('b.json', 'nothing'), importer: 'OPENHTF' },
      { upload_id: await server.upload('c.json', '[1, 2'), importer: 'WATS' },
      { upload_id: '00000000-0000-4000-8000-000000000000', importer: 'OPENHTF' },
      { upload_id: await server.upload('d.json', recordingOf('timeout')), importer: 'OPENHTF' },
    ]
    const response = await server.send('POST', '/v2/imports/structured', { items })
    const { results } = (await response.json()) as { results: { id?: string; error?: string }[] }
    expect(results).toMatchObject([
      { upload_id: items[0]?.upload_id, success: true },
      { success: false, error: expect.stringContaining('not valid JSON') as string },
      { success: false, error: expect.stringContaining('not valid JSON') as string },
      { success: false, error: expect.stringContaining('not found') as string },
      { success: true },
    ])
    expect((await server.getRun(results[4]?.id)).outcome).toBe('TIMEOUT')
  })

  it('takes 1 to 100 files', async () => {
    const status = async (items: unknown) =>
      (await server.send('POST', '/v2/imports/structured', { items })).status
    expect(await status([])).toBe(400)
    expect(await status(Array.from({ length: 101 }, () => ({ upload_id: 'x', importer: 'OPENHTF' })))).toBe(
      400,
    )
    expect(await status([{ upload_id: 'x', importer: 'CSV' }])).toBe(400)
  })
})

describe('files of several runs', () => {
  const FIELDS = {
    serial_number: { column: 'SN' },
    part_number: { value: 'PCB09' },
    procedure: { value: 'Line test' },
    started_at: { column: 'Start' },
    outcome: { column: 'Result' },
    operator: { column: 'By' },
  }
  const MAPPING = {
    runs: 'row',
    fields: FIELDS,
    measurements: { layout: 'wide', columns: [{ column: 'U' }] },
  }
  const ROWS = 'SN,Start,Result,By,U\nL-1,2026-03-05,PASS,owner@localhost,1\nL-2,2026-03-05,FAIL,Anna,2\n'

  interface Stored {
    runs: { id: string; created: boolean }[]
    message?: string
  }

  async function importCsv(text: string, change: object = {}): Promise<{ status: number; body: Stored }> {
    const upload_id = await server.upload('day.csv', text)
    const response = await server.send('POST', '/v2/imports/tabular', {
      upload_id,
      mapping: MAPPING,
      ...change,
    })
    return { status: response.status, body: (await response.json()) as Stored }
  }

  it('stores each run once, in whatever file it comes, and links the file to the first new one', async () => {
    const { runs } = (await importCsv(ROWS)).body
    expect(runs.map(({ created }) => created)).toEqual([true, true])
    const [first, second] = await Promise.all(runs.map(({ id }) => server.getRun(id)))
    expect(first).toMatchObject({
      procedure: { name: 'Line test' },
      operated_by: { email: 'owner@localhost' },
      attachments: [{ name: 'day.csv' }],
      metadata: { operator: 'owner@localhost' },
    })
    expect(second).toMatchObject({
      outcome: 'FAIL',
      operated_by: null,
      attachments: [],
      metadata: { operator: 'Anna' },
    })
    const grown = (await importCsv(`${ROWS}L-3,2026-03-05,PASS,Anna,3\n`)).body.runs
    expect(grown.map(({ created }) => created)).toEqual([false, false, true])
    expect(grown.map(({ id }) => id).slice(0, 2)).toEqual(runs.map(({ id }) => id))
    expect((await server.getRun(grown[2]?.id)).attachments).toMatchObject([{ name: 'day.csv' }])
  })

  it('gives the same request, sent again meanwhile, the answer to the first', async () => {
    const upload_id = await server.upload('day.csv', ROWS.replaceAll('L-', 'T-'))
    const send = async () => {
      const sent = await server.send('POST', '/v2/imports/tabular', { upload_id, mapping: MAPPING })
      return (await sent.json()) as Stored
    }
    const [first, second] = await Promise.all([send(), send()])
    expect(first.runs.map(({ created }) => created)).toEqual([true, true])
    expect(second).toEqual(first)
    expect((await send()).runs.map(({ created }) => created)).toEqual([false, false])
  })

  it('shows the first fifty warnings, and counts the others', async () => {
    const rows = Array.from(
      { length: 60 },
      (_, index) => `W-${index},2026-03-05T00:00:00Z,PASS,Check ${index},${index}\n`,
    )
    const mapping = {
      ...MAPPING,
      phases: { nameColumn: 'By', outcomeColumn: 'Result' },
      measurements: { layout: 'wide', columns: [{ column: 'U', lowerLimit: 100 }] },
    }
    const { body } = await importCsv(`SN,Start,Result,By,U\n${rows.join('')}`, { mapping })
    const { warnings } = body as unknown as { warnings: string[] }
    expect(warnings).toHaveLength(51)
    expect(warnings.at(-1)).toBe('10 more warnings')
  })

  it('stores nothing of a file of which one run cannot be read', async () => {
    const count = await countRuns()
    const { status, body } = await importCsv(`${ROWS.replaceAll('L-', 'M-')}M-3,2026-03-05,MAYBE,Anna,3\n`)
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: expect.stringContaining('row 4.outcome is "MAYBE"') as string,
    })
    expect(await countRuns()).toBe(count)
  })

  it('needs a procedure from the request or the mapping', async () => {
    const { serial_number, started_at, outcome } = FIELDS
    const fields = { serial_number, started_at, outcome }
    const { status, body } = await importCsv(ROWS, { mapping: { ...MAPPING, fields } })
    expect({ status, body }).toMatchObject({ status: 400, body: { issues: [{ path: ['procedure_id'] }] } })
  })
})

describe('files of testers', () => {
  const lot = (name: string) => readFileSync(path.join(RECORDINGS, name))

  interface Result {
    success: boolean
    error?: string
    runs?: { id: string; created: boolean }[]
    warnings?: string[]
  }

  async function importItem(bytes: Uint8Array | string, item: object): Promise<Result> {
    const upload_id = await server.upload('file', bytes)
    const response = await server.send('POST', '/v2/imports/structured', { items: [{ upload_id, ...item }] })
    const { results } = (await response.json()) as { results: [Result] }
    return results[0]
  }

  it('stores each part of a lot, once', async () => {
    const stored = await importItem(lot('lot-big.stdf'), { importer: 'STDF' })
    expect(stored.runs?.map(({ created }) => created)).toEqual([true, true, true, true])
    const run = await server.getRun(stored.runs?.[1]?.id ?? '')
    expect(run).toMatchObject({
      outcome: 'FAIL',
      procedure: { name: 'Final test', version: { tag: '1.4' } },
      unit: { serial_number: 'LOT7_W03_X5_Y-7', part: { number: 'AMP-1' }, batch: { number: 'LOT7' } },
      phases: [
        { name: 'Supply current', outcome: 'FAIL', measurements: [{ measured_value: 3, units: 'mA' }] },
        { name: 'Offset' },
        { name: 'Scan chain' },
      ],
    })
    const again = await importItem(gzipSync(lot('lot-little.stdf')), { importer: 'STDF' })
    expect(again.runs?.map(({ id, created }) => [id, created])).toEqual(
      stored.runs?.map(({ id }) => [id, false]),
    )
  })

  const report = { sn: 'S-1', pn: 'P', result: 'P', start: '2026-03-05T09:15:41Z' }

  it('joins a warning about several runs, and keeps warnings about different steps apart', async () => {
    const value = { status: 'P', compOp: 'GE', lowLimit: 1, value: 0 }
    const fails = (name: string) => ({ name, status: 'F', numericMeas: [value] })
    const list = (count: number, lots: string[]) =>
      lots.map((batchSN, index) => ({
        ...report,
        sn: `S-${count}-${index}`,
        processName: 'Warned',
        result: 'F',
        assets: ['x'],
        uut: { batchSN },
        root: {
          name: 'Main',
          status: 'F',
          steps: Array.from({ length: count }, (_, step) => fails(`R${step}`)),
        },
      }))
    const reversed = (step: number) =>
      `report 0.root.steps.${step}.numericMeas.0.status says passed outside its limits in step "R${step}", which failed, and was stored as failed`
    const once = await importItem(JSON.stringify(list(2, ['LOT 1', 'LOT 2', 'LOT 2'])), { importer: 'WATS' })
    expect(once.warnings).toEqual([
      'report 0 has members that were not read: assets (and 2 more like this)',
      `${reversed(0)} (and 2 more like this)`,
      `${reversed(1)} (and 2 more like this)`,
      'batch is "LOT 1", and was stored as "LOT-1"',
      'batch is "LOT 2", and was stored as "LOT-2"',
    ])
    const many = await importItem(JSON.stringify(list(25, ['1', '1', '1'])), { importer: 'WATS' })
    expect(many.warnings?.slice(19)).toEqual([`${reversed(18)} (and 2 more like this)`, '18 more warnings'])
  })

  it('refuses a procedure name that is too long, and names the unit and the fix', async () => {
    const text = JSON.stringify({ ...report, processName: 'n'.repeat(2_000) })
    expect(await importItem(text, { importer: 'WATS' })).toMatchObject({
      success: false,
      error: expect.stringMatching(
        /procedure_name of unit "S-1" is "n{60}…": .*: send procedure_id, or shorten the name in the file \(processName/,
      ) as string,
    })
  })

  const deepXml = (root: string) => `<${root}>${'<a>'.repeat(10_000)}`
  const entities = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><Reports>&b;</Reports>`

  it.each([
    ['STDF', 'cut', lot('lot-little.stdf').subarray(0, 400), 'byte 394 has a record'],
    ['STDF', 'a gzip bomb', gzipSync(Buffer.alloc(300 * 1024 * 1024)), 'it unpacks to more than'],
    ['ATDF', 'cut', lot('lot.atdf').subarray(0, 600), 'it has no MRR record at its end'],
    ['WATS', 'cut', '{"sn": "1", "root": {', 'is not valid JSON'],
    ['WATS', 'a million lists', '['.repeat(1_000_000), 'more than 400000 lists'],
    ['WSXF', 'cut', '<Reports><Report SN="1"', 'it is not well-formed XML at line 1'],
    ['WSXF', 'entities', entities, 'it has a DOCTYPE'],
    ['WSXF', 'nested deep', deepXml('Reports'), 'nested over 100 deep'],
    ['TESTSTAND', 'cut', "<Reports><Report Type='UUT'>", 'it is not well-formed XML at line 1'],
    ['TESTSTAND', 'entities', entities, 'it has a DOCTYPE'],
    ['ATML', 'cut', '<TestResultsCollection><TestResults>', 'it is not well-formed XML at line 1'],
    ['ATML', 'nested deep', deepXml('TestResults'), 'nested over 100 deep'],
  ])('refuses %s that is %s, and stores nothing', async (importer, _what, bytes, message) => {
    const count = await countRuns()
    const result = await importItem(bytes, { importer, procedure_id: 'FVT1' })
    expect(result).toMatchObject({ success: false, error: expect.stringContaining(message) as string })
    expect(await countRuns()).toBe(count)
    expect(server.logged).toEqual([])
  })
})

function deep(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}
