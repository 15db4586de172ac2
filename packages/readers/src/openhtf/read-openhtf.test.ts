import { CreateV2RunRequestSchema } from '@runledger/protocol'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { ReadError } from '../read-error'
import { toStandardJson } from '../standard-json'
import { isOpenHtf, readOpenHtf } from './read-openhtf'

const RECORDINGS = path.resolve(import.meta.dirname, '../../recordings')

async function parse(bytes: Uint8Array): Promise<unknown> {
  return JSON.parse(Buffer.from(await toStandardJson(bytes)).toString())
}

async function readRecording(name: string): Promise<ImportedRun> {
  return readOpenHtf(await parse(readFileSync(path.join(RECORDINGS, `openhtf-${name}.json`))))
}

function measurementsOf({ run }: ImportedRun, phase: string) {
  const { measurements = [] } = run.phases?.find(({ name }) => name === phase) ?? {}
  return Object.fromEntries((measurements ?? []).map((one) => [one.name, one]))
}

/** The least that a report of the oldest versions has. */
const LEAST = {
  dut_id: 'SN-1',
  station_id: 'bench-1',
  start_time_millis: 1_700_000_000_000,
  end_time_millis: 1_700_000_001_000,
  outcome: 'PASS',
  metadata: {},
  phases: [] as unknown[],
}

const PHASE = { name: 'one', start_time_millis: 1_700_000_000_000, outcome: 'PASS' }

async function refusal(change: object): Promise<ReadError> {
  const error: unknown = await readOpenHtf({ ...LEAST, ...change }).catch((thrown: unknown) => thrown)
  if (error instanceof ReadError) return error
  throw new Error('it was read')
}

describe('readOpenHtf', () => {
  it.each([
    ['every-kind', 'FAIL'],
    ['pass', 'PASS'],
    ['error', 'ERROR'],
    ['timeout', 'TIMEOUT'],
    ['stop', 'FAIL'],
    ['abort', 'ABORTED'],
    ['plug', 'ERROR'],
  ])('reads what OpenHTF 1.6.2 wrote: %s', async (name, outcome) => {
    const { run, warnings } = await readRecording(name)
    expect(run.outcome).toBe(outcome)
    expect(warnings).toEqual([])
    // The service takes it as a run of v2.
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'FVT1' }).error?.issues ?? []).toEqual(
      [],
    )
  })

  it('keeps every phase in its order with its outcome', async () => {
    const { run } = await readRecording('every-kind')
    expect(run.phases?.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'trigger_phase PASS',
      'check_values FAIL',
      'measure_dimensions PASS',
      'attach_files PASS',
      'repeat_once SKIP',
      'repeat_once PASS',
      'skip_itself SKIP',
      'fail_limit FAIL',
      'fail_and_continue FAIL',
      'diagnosed FAIL',
      'tear_down PASS',
    ])
    expect(run.phases?.find(({ name }) => name === 'fail_limit')?.annotations).toEqual([
      { type: 'subtest', description: 'sub' },
    ])
    expect(run.phases?.find(({ name }) => name === 'diagnosed')?.annotations).toEqual([
      { type: 'failure diagnosis', description: 'cold joint' },
    ])
  })

  it('reads unit, procedure and what else the test says of itself', async () => {
    const { run, procedureId, metadata } = await readRecording('every-kind')
    expect(procedureId).toBe('FVT1')
    expect(run).toMatchObject({
      serial_number: 'SN-0042',
      part_number: 'PCB01',
      revision_number: 'A',
      batch_number: '1024-0001',
      procedure_version: '1.2.20',
      docstring: 'A test of a widget',
    })
    expect(Object.fromEntries(metadata)).toMatchObject({
      station_id: 'bench-1',
      test_name: 'every-kind',
      test_version: '1.0.0',
      gain: 3.5,
      extra: '{"k":[1,2]}',
    })
  })

  it('reads values with their limits and validators', async () => {
    const measured = measurementsOf(await readRecording('every-kind'), 'check_values')
    expect(measured['size']).toEqual({
      name: 'size',
      outcome: 'PASS',
      measured_value: 3,
      lower_limit: 1,
      upper_limit: 4,
      docstring: 'Size of the widget',
    })
    expect(measured['tolerance']).toMatchObject({ lower_limit: 95, upper_limit: 105, units: 'V' })
    expect(measured['marginal']).toMatchObject({
      lower_limit: 0,
      upper_limit: 10,
      validators: [{ expression: 'Marginal:2 <= x <= Marginal:8', is_decisive: false }],
    })
    const first = (name: string) => measured[name]?.validators?.[0]
    expect(first('widget_type')).toMatchObject({ operator: 'matches', expected_value: '.*Widget$' })
    expect(first('color')).toMatchObject({ operator: '==', expected_value: 'Black', outcome: 'PASS' })
    expect(first('count')).toMatchObject({ operator: '==', expected_value: 3 })
    expect(first('is_on')).toMatchObject({ operator: '==', expected_value: true })
    expect(measured['never_set']).toMatchObject({ outcome: 'UNSET', lower_limit: 1, upper_limit: 2 })
    expect(measured['never_set']).not.toHaveProperty('measured_value')
    expect(measured['object']?.measured_value).toEqual({ a: [1, { b: 2 }] })
    expect(measured['negative']).toMatchObject({ lower_limit: -5, measured_value: -3, units: '°C' })
    expect(measured['nan']?.measured_value).toBe('nan')
    expect(measured['infinite']).toMatchObject({ measured_value: '-inf', upper_limit: 3 })
  })

  it('reads dimensioned measurements as data series, and rows that are not all numbers as they are', async () => {
    const measured = measurementsOf(await readRecording('every-kind'), 'measure_dimensions')
    expect(measured['sweep']).toMatchObject({
      units: ['Hz', 'V'],
      x_axis: { data: [0, 1, 2, 3, 4], units: 'Hz' },
      y_axis: [{ data: [1, 2, 4, 8, 16], units: 'V' }],
    })
    expect(measured['cube']).toMatchObject({
      units: ['Hz', 's', 'rad', ''],
      x_axis: { data: [1, 2, 3, 4] },
      y_axis: [
        { data: [21, 22, 23, 24], units: 's' },
        { data: [101, 102, 103, 104], units: 'rad', name: 'my_angle' },
        { data: [123, 126, 129, 132] },
      ],
    })
    expect(measured['by_sensor']?.measured_value).toEqual([['CPU', 1, 44.5]])
    expect(measured['gaps']?.measured_value).toEqual([
      [0, 'nan'],
      [1, 'inf'],
    ])
    expect(measured['limited']?.validators).toEqual([
      { outcome: 'PASS', expression: 'All values pass: 0 <= x <= 5' },
    ])
  })

  it('takes embedded files out, each in its phase, and names the others', async () => {
    const embedded = await readRecording('every-kind')
    expect(
      embedded.attachments.map(({ name, contentType, bytes }) => [name, contentType, bytes.length]),
    ).toEqual([
      ['attach_files/note', undefined, 17],
      ['attach_files/raw.bin', 'application/octet-stream', 256],
      ['repeat_once/try.txt', 'text/plain', 1],
      ['repeat_once/try (2).txt', 'text/plain', 1],
    ])
    expect(Buffer.from(embedded.attachments[0]?.bytes ?? []).toString()).toBe('This is the note.')
    const separate = await readRecording('pass')
    expect(separate).toMatchObject({ attachments: [], declaredAttachments: ['note', 'raw.bin'] })
  })

  it('says why a phase failed', async () => {
    const errorOf = async (name: string, phase: string) =>
      (await readRecording(name)).run.phases?.find((one) => one.name === phase)?.errors?.[0]
    const thrown = await errorOf('error', 'throw_error')
    expect(thrown?.message).toBe('ValueError: no answer from the bench €')
    expect(thrown?.stack).toMatch(/^Traceback .*throw_error/s)
    expect(await errorOf('timeout', 'take_too_long')).toEqual({ message: 'The phase timed out.' })
    expect(await errorOf('stop', 'stop_test')).toEqual({ message: 'The phase stopped the test.' })
    expect(await errorOf('abort', 'abort_test')).toEqual({ message: 'The phase was aborted.' })
    expect(await errorOf('plug', '(execution)')).toEqual({
      message: 'RuntimeError: the power supply is off',
    })
  })

  it('reads the log', async () => {
    const { run } = await readRecording('every-kind')
    expect(run.logs).toContainEqual(
      expect.objectContaining({ level: 'WARNING', message: 'Getting warm: 40 °C', source_file: 'record.py' }),
    )
    expect(new Set(run.logs?.map(({ level }) => level))).toEqual(new Set(['DEBUG', 'INFO', 'WARNING']))
  })

  it('reads a value that is named like a member of an object', async () => {
    const measurements = { a: { name: 'a', outcome: 'PASS', validators: ['x == constructor'] } }
    const { run } = await readOpenHtf({ ...LEAST, phases: [{ ...PHASE, measurements }] })
    expect(run.phases?.[0]?.measurements?.[0]?.validators?.[0]?.expected_value).toBe('constructor')
  })

  it('reads numbers as Python writes them', async () => {
    const bytes = Buffer.from('{"a": [NaN, -Infinity, Infinity, -1], "NaN": "Infinity \\" NaN"}')
    expect(await parse(bytes)).toEqual({ a: ['NaN', '-Infinity', 'Infinity', -1], NaN: 'Infinity " NaN' })
    const plain = Buffer.from('{"a": -1, "b": null}')
    expect(await toStandardJson(plain)).toBe(plain)
  })

  it('derives the outcomes that old versions leave out', async () => {
    const phase = (result: unknown, measurements = {}) => ({
      ...PHASE,
      outcome: null,
      result: { phase_result: result },
      measurements,
    })
    const phases = [
      phase('CONTINUE'),
      phase('SKIP'),
      phase(null),
      phase('STOP'),
      phase({ exc_val: 'boom' }),
      phase('CONTINUE', { a: { name: 'a', outcome: 'FAIL', measured_value: 1 } }),
    ]
    const { run } = await readOpenHtf({ ...LEAST, phases })
    expect(run.phases?.map(({ outcome }) => outcome)).toEqual([
      'PASS',
      'SKIP',
      'ERROR',
      'ERROR',
      'ERROR',
      'FAIL',
    ])
  })

  it('cuts what is too long and drops what cannot be stored, and says so', async () => {
    const log = { level: 20, timestamp_millis: 1, message: 'x'.repeat(20_000) }
    const measurements = { a: { name: 'a', outcome: 'PASS', measured_value: 'a\0b' } }
    const { run, warnings } = await readOpenHtf({
      ...LEAST,
      phases: [{ ...PHASE, measurements }],
      log_records: [log],
    })
    expect(run.logs?.[0]?.message).toHaveLength(10_000)
    expect(run.phases?.[0]?.measurements?.[0]?.measured_value).toBe('ab')
    expect(warnings).toEqual([
      'phases.0.measurements.a.measured_value had NUL characters or lone surrogates, which were removed or replaced',
      'log_records.0.message was cut at 10000 characters',
    ])
  })

  it('keeps what can be stored of units and dimensions', async () => {
    const dimensions = [{ name: 'x', suffix: 's\0', description: 'time\ud800' }]
    const measurements = {
      a: { outcome: 'PASS', measured_value: 1, units: { name: 'volt', suffix: 'V\0' } },
      b: { outcome: 'PASS', measured_value: [[1, 2]], dimensions },
    }
    const { run, warnings } = await readOpenHtf({ ...LEAST, phases: [{ ...PHASE, measurements }] })
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'FVT1' }).error).toBeUndefined()
    const [a, b] = run.phases?.[0]?.measurements ?? []
    expect([a?.units, b?.x_axis]).toMatchObject(['V', { units: 's', name: 'time\ufffd' }])
    expect(warnings).toHaveLength(3)
  })

  it('says what of the metadata it changes or leaves out', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`m${index}`, index]))
    const long = { ['n'.repeat(10_001)]: 1, text: 'x'.repeat(10_001), large: Infinity }
    const { metadata, warnings } = await readOpenHtf({ ...LEAST, metadata: { ...long, ...many } })
    expect(metadata).toHaveLength(1_000)
    expect(Object.fromEntries(metadata)['large']).toBe('Infinity')
    expect(warnings).toEqual([
      expect.stringMatching(/^metadata has 10\d\d entries; the first 1000 of them are kept$/),
      `metadata.${'n'.repeat(60)}… was cut at 10000 characters`,
      'metadata.text was cut at 10000 characters',
    ])
  })

  it.each([
    [{ dut_id: null }, 'dut_id is missing: the serial number must be given to Test.execute'],
    [{ outcome: 'FINE' }, 'outcome is "FINE": Invalid option'],
    [{ phases: 'none' }, 'phases is "none": Invalid input: expected array'],
    [{ end_time_millis: 1 }, 'end_time_millis is 1: it must not be before start_time_millis'],
    [{ metadata: { part_number: 'x'.repeat(61) } }, 'metadata.part_number is "xxx'],
    [{ metadata: { batch_number: 'a b' } }, 'metadata.batch_number is "a b": must be made of letters'],
    [{ phases: [PHASE, { ...PHASE, outcome: 'X' }] }, 'phases.1.outcome is "X": Invalid option'],
    [
      { phases: [{ ...PHASE, measurements: { v: { outcome: 7 } } }] },
      'phases.0.measurements.v.outcome is 7: Invalid option',
    ],
    [
      { phases: [{ ...PHASE, attachments: { f: { data: '!!!!' } } }] },
      'phases.0.attachments.f.data is not base64',
    ],
    [{ log_records: [{ level: 'x' }] }, 'log_records.0.level is "x"'],
  ])('says where it cannot read: %j', async (change, message) => {
    expect((await refusal(change)).message).toContain(message)
  })

  it.each([
    [Buffer.from(''), 'empty'],
    [Buffer.from([0x1f, 0x8b, 8]), 'gzip'],
    [Buffer.from('PK\u0003\u0004'), 'ZIP'],
    [Buffer.from('\uFEFF{}', 'utf16le'), 'UTF-16'],
  ])('says what kind of file it is: %j', async (bytes, word) => {
    await expect(toStandardJson(bytes)).rejects.toThrow(word)
  })

  it('knows its own', async () => {
    expect(isOpenHtf(LEAST)).toBe(true)
    expect(isOpenHtf({ results: {} })).toBe(false)
    expect(isOpenHtf([])).toBe(false)
  })
})
