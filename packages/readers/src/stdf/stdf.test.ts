import { CreateV2RunRequestSchema } from '@runledger/protocol'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { findLineFormat } from '../line/find-format'
import { type LineFormat, readLineFile } from '../line/read-line-file'

/*
 * A lot of four dies at two sites, with values of our own. Semi-ATE's library for STDF (Semi-ATE/STDF, MIT) wrote it in both byte
 * orders, and as ATDF, where the field RETEST was added to PRR: the library leaves it out, and the specification has it.
 */
const recording = (name: string) => readFileSync(path.join(import.meta.dirname, '../../recordings', name))
const LITTLE = recording('lot-little.stdf')
const BIG = recording('lot-big.stdf')
const ATDF = recording('lot.atdf').toString()

async function readAll(
  format: LineFormat,
  bytes: Uint8Array | string,
  timeZone?: string,
): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  for await (const run of readLineFile(format, Buffer.from(bytes), { timeZone })) runs.push(run)
  return runs
}

const current = (value: number, outcome = 'PASS') => ({
  name: 'Supply current',
  outcome,
  measured_value: value,
  units: 'mA',
  lower_limit: 1,
  upper_limit: 2.5,
})
// The low limit does not hold: OPT_FLAG says that there is none.
const offset = (value: number, outcome = 'PASS') => ({
  name: 'Offset',
  outcome,
  measured_value: value,
  units: 'uV',
  upper_limit: 50,
})

describe('STDF', () => {
  it('reads every field of a part, with limits, units and scales of the first result of a test', async () => {
    const [first] = await readAll('STDF', LITTLE)
    const { run, ...rest } = first as ImportedRun
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'X' }).error).toBeUndefined()
    const time = { started_at: '2026-03-05T08:15:41.000Z', ended_at: '2026-03-05T08:15:41.000Z' }
    expect(run).toEqual({
      outcome: 'PASS',
      started_at: '2026-03-05T08:15:41.000Z',
      ended_at: '2026-03-05T08:15:41.640Z',
      serial_number: 'LOT7_W03_X4_Y-7',
      part_number: 'AMP-1',
      revision_number: undefined,
      batch_number: 'LOT7',
      procedure_version: '1.4',
      docstring: undefined,
      phases: [
        { name: 'Supply current', outcome: 'PASS', ...time, measurements: [current(2)] },
        { name: 'Offset', outcome: 'PASS', ...time, measurements: [offset(10)] },
        { name: 'Scan chain', outcome: 'PASS', ...time },
      ],
      logs: [expect.objectContaining({ source_file: 'Scan chain', message: 'CHECKER' })],
    })
    expect(rest).toEqual({
      procedureId: undefined,
      procedureName: 'Final test',
      operator: 'anna',
      metadata: [
        ['importer', 'STDF'],
        ['station', 'BENCH-4'],
        ['operator', 'anna'],
        ['part_id', '1'],
        ['wafer', 'W03'],
        ['x', 4],
        ['y', -7],
        ['head', 1],
        ['site', 1],
        ['hard_bin', '1 GOOD'],
        ['soft_bin', '10'],
        ['estimated_times', 'start of the run, starts and lengths of steps'],
        ['tstr_typ', 'J971'],
        ['sblot_id', '2'],
        ['exec_typ', 'IG900'],
        ['exec_ver', '2.4'],
        ['test_cod', 'HOT'],
        ['tst_temp', '85'],
        ['hand_typ', 'Delta'],
        ['hand_id', 'D511'],
      ],
      attachments: [],
      declaredAttachments: [],
      warnings: [],
      moreWarnings: 0,
    })
  })

  it('keeps results of sites that are tested together apart', async () => {
    const runs = await readAll('STDF', LITTLE)
    const shown = runs.map(({ run }) => [
      run.serial_number,
      run.outcome,
      run.started_at.slice(17),
      run.phases?.map(({ outcome, measurements }) => measurements?.[0] ?? outcome),
    ])
    expect(shown).toEqual([
      ['LOT7_W03_X4_Y-7', 'PASS', '41.000Z', [current(2), offset(10), 'PASS']],
      ['LOT7_W03_X5_Y-7', 'FAIL', '41.000Z', [current(3, 'FAIL'), offset(12), 'PASS']],
      ['LOT7_W03_X7_Y-7', 'FAIL', '41.700Z', [current(1.5), offset(90, 'FAIL'), 'PASS']],
      // Its second value came with an alarm, and is no use.
      ['AMP-000123', 'ABORTED', '41.700Z', [current(1.8), 'PASS', 'PASS']],
    ])
    expect(runs[1]?.run.docstring).toBe('Edge')
    expect(runs[3]?.run.logs?.[0]?.message).toBe('alarm; value 0.00002')
    expect(new Map(runs[1]?.metadata).get('soft_bin')).toBe('50 DC limits')
  })

  it('reads the same of the other byte order, of a gzip archive, and of ATDF', async () => {
    const runs = await readAll('STDF', LITTLE)
    expect(await readAll('STDF', BIG)).toEqual(runs)
    expect(await readAll('STDF', gzipSync(BIG))).toEqual(runs)
    const atdf = await readAll('ATDF', ATDF)
    const withoutFlag = (run: ImportedRun['run']) => ({
      ...run,
      // ATDF has no flag for a limit that is not there, and the library writes 0.
      phases: run.phases?.map((phase) => ({
        ...phase,
        measurements: phase.measurements?.map(({ lower_limit: low, ...one }) =>
          low === 0 ? one : { ...one, low },
        ),
      })),
    })
    expect(atdf.map(({ run }) => withoutFlag(run))).toEqual(runs.map(({ run }) => withoutFlag(run)))
    // Their order is that of the fields.
    const sorted = (all: readonly ImportedRun[]) => all.map(({ metadata }) => new Map(metadata.slice(1)))
    expect(sorted(atdf)).toEqual(sorted(runs))
    expect([LITTLE, BIG, gzipSync(LITTLE), Buffer.from(ATDF)].map(findLineFormat)).toEqual([
      'STDF',
      'STDF',
      'STDF',
      'ATDF',
    ])
  })

  /** Writes a little-endian record. */
  const record = (type: number, subtype: number, ...body: number[]) =>
    Buffer.from([body.length & 255, body.length >> 8, type, subtype, ...body])
  const START = LITTLE.subarray(0, LITTLE.indexOf(Buffer.from([2, 0, 5, 10])))
  const END = record(1, 20, 0, 0, 0, 0)

  it('fails a part without a verdict if its bin is for failed parts', async () => {
    const part = (hardBin: number) => [
      record(5, 10, 1, 1),
      record(
        5,
        20,
        1,
        1,
        0b1_0000,
        0,
        0,
        hardBin,
        0,
        255,
        255,
        0,
        128,
        0,
        128,
        0,
        0,
        0,
        0,
        2,
        65,
        48 + hardBin,
      ),
    ]
    const bin = (number: number, letter: string) =>
      record(1, 40, 255, 0, number, 0, 1, 0, 0, 0, letter.charCodeAt(0), 0)
    const runs = await readAll(
      'STDF',
      Buffer.concat([START, ...part(1), ...part(2), bin(1, 'P'), bin(2, 'F'), END]),
    )
    expect(runs.map(({ run }) => [run.serial_number, run.outcome])).toEqual([
      ['A1', 'PASS'],
      ['A2', 'FAIL'],
    ])
  })

  it.each([
    ['part', [record(5, 10, 1, 1), record(5, 20, 1, 1)]],
    ['result', [record(5, 10, 1, 1), record(15, 10, 100, 0, 0, 0, 1, 1), record(5, 20, 1, 1, 0)]],
  ])('refuses a %s whose record ends before its verdict', async (_what, records) => {
    const bytes = Buffer.concat([START, ...records, END])
    await expect(readAll('STDF', bytes)).rejects.toThrow('has a record that ends before its verdict')
  })

  const patch = (at: number, ...bytes: number[]) =>
    Buffer.concat([LITTLE.subarray(0, at), Buffer.from(bytes), LITTLE.subarray(at + bytes.length)])
  const end = LITTLE.lastIndexOf(Buffer.from([1, 20])) - 2
  const PIR = LITTLE.indexOf(Buffer.from([2, 0, 5, 10]))

  it.each([
    ['half of it', LITTLE.subarray(0, 400), 'byte 394 has a record (type 15.20) of 67 bytes'],
    ['half a header', LITTLE.subarray(0, 396), 'byte 394 has half a record'],
    [
      'no end',
      LITTLE.subarray(0, end),
      'it has no MRR record at its end: it broke off, or the tester still writes it',
    ],
    ['another format', Buffer.from('hello, world'), 'it is not STDF'],
    ['another version', patch(5, 3), 'it is STDF V3, and only V4 is read'],
    ['numbers of a VAX', patch(4, 0), 'processor 0 (CPU_TYPE)'],
    [
      'a part that began twice',
      patch(PIR + 6 + 5, 1),
      `byte ${PIR + 6} begins a part at head 1, site 1, where another has not ended`,
    ],
    [
      'a part without a beginning',
      Buffer.concat([LITTLE.subarray(0, PIR), LITTLE.subarray(PIR + 6)]),
      'is a result of test 100 at head 1, site 1, where no part is tested',
    ],
    ['half an archive', gzipSync(LITTLE).subarray(0, 300), 'it is not a whole gzip archive'],
    [
      'an archive that is a bomb',
      gzipSync(Buffer.alloc(300 * 1024 * 1024)),
      'it unpacks to more than 67108864 bytes',
    ],
  ])('refuses a file with %s', async (_what, bytes, message) => {
    await expect(readAll('STDF', bytes)).rejects.toThrow(message)
  })
})

describe('ATDF', () => {
  it('reads values that are scaled already, records in several lines and times in a zone', async () => {
    const scaled = ATDF.replace('FAR:A|4|2|U', 'FAR:A|4|2|S')
      .replace(
        'PTR:100|1|1|0.002|P| |Supply current||LH|A|0.001|0.0025|',
        'PTR:100|1|1|2|P| |Supply\n  current||LH|A|1|2.5|',
      )
      .replaceAll('\n', '\r\n')
    const [first] = await readAll('ATDF', scaled, 'Europe/Oslo')
    expect(first?.run.started_at).toBe('2026-03-05T07:15:41.000Z')
    expect(first?.run.phases?.[0]?.measurements).toEqual([current(2)])
    const [inUtc] = await readAll('ATDF', scaled)
    expect(inUtc?.warnings).toEqual([expect.stringContaining('times without a zone, which were read as UTC')])
  })

  it.each([
    ['half of it', ATDF.slice(0, 600), 'it has no MRR record at its end'],
    ['a wrong value', ATDF.replace('|0.002|', '|high|'), 'line 7.field 4 is "high": it must be a number'],
    [
      'a wrong verdict',
      ATDF.replace('|0.002|P|', '|0.002|X|'),
      'line 7.field 5 is "X": it must be P, F, A or blank',
    ],
    ['a wrong time', ATDF.replace('8:15:41 5-MAR', 'today 5-MAR'), 'line 2.START_T is "today 5-MAR-2026"'],
    [
      'a line that is no record',
      ATDF.replace('PIR:1|2', 'hello'),
      'line 6 is "hello": it must begin with the name of a record',
    ],
    [
      'a part that never ends',
      ATDF.replace('PRR:1|2|4', 'ABC:1|2|4'),
      'line 15 begins a part (PIR) that never ends',
    ],
    ['another version', ATDF.replace('FAR:A|4', 'FAR:A|3'), 'it is of STDF V3'],
    ['an endless part', ATDF.replace('||640||', '||1e300||'), 'which is no time up to the year 2255'],
  ])('refuses a file with %s', async (_what, text, message) => {
    await expect(readAll('ATDF', text)).rejects.toThrow(message)
  })
})
