import { CreateV2RunRequestSchema, type Pace, TabularMappingSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { readTabular } from './read-tabular'

const FIELDS = {
  serial_number: { column: 'SN' },
  part_number: { value: 'PCB01' },
  outcome: { column: 'Result', valueMap: { Gut: 'PASS', Schlecht: 'FAIL' } },
  started_at: { column: 'Start' },
  ended_at: { value: '2026-11-20T09:31:00Z' },
}
const LONG = {
  layout: 'long',
  nameColumn: 'Test',
  valueColumn: 'Value',
  unitsColumn: 'Unit',
  lowerColumn: 'Low',
  upperColumn: 'High',
  phaseColumn: 'Phase',
}

type More = { pace?: Pace; [name: string]: unknown }

async function readAll(
  text: string | Buffer,
  measurements: object,
  { pace, ...more }: More = {},
): Promise<ImportedRun[]> {
  const mapping = TabularMappingSchema.parse({ fields: FIELDS, measurements, ...more })
  const runs: ImportedRun[] = []
  for await (const run of readTabular(Buffer.from(text), mapping, pace)) runs.push(run)
  return runs
}

const read = async (text: string | Buffer, measurements: object, more?: More): Promise<ImportedRun> =>
  (await readAll(text, measurements, more))[0] as ImportedRun

const LONG_FILE = `SN,Result,Start,Phase,Test,Value,Unit,Low,High
SN-1,Gut,2026-11-20 09:30:00,Power,"Voltage, main",3.3,V,3,3.6
SN-1,Gut,2026-11-20 09:30:00,Power,Current,1.9,A,,1.5
SN-1,Gut,2026-11-20 09:30:00,Radio,"Says ""hi""",yes,,,
`

describe('readTabular', () => {
  it.each([
    ['whose header ends in a delimiter', LONG_FILE.trimEnd().replace('High\n', 'High,\n')],
    ['whose last row leaves out empty cells', `${LONG_FILE.replace('yes,,,', 'yes')}  `],
  ])('reads a file %s', async (_what, text) => {
    const { run } = await read(text, LONG)
    expect(run.phases?.map(({ name }) => name)).toEqual(['Power', 'Radio'])
  })

  it.each([
    [
      '160,000 blank lines',
      `${LONG_FILE}${'\n'.repeat(160_000)}x`,
      'row 160005 breaks off after 1 of 9 cells',
    ],
    ['a last row of tabs', `${LONG_FILE.replaceAll(',', '\t')}\t\t`, 'row 5 breaks off after 3 of 9 cells'],
  ])('refuses a file that breaks off after %s', { timeout: 2_000 }, async (_what, text, message) => {
    await expect(read(text, LONG)).rejects.toThrow(message)
  })

  it('reads a measurement of each row, in phases', async () => {
    const { run } = await read(LONG_FILE, LONG)
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'X' }).error).toBeUndefined()
    expect(run).toMatchObject({
      serial_number: 'SN-1',
      part_number: 'PCB01',
      outcome: 'PASS',
      started_at: '2026-11-20T09:30:00.000Z',
      phases: [
        {
          name: 'Power',
          outcome: 'FAIL',
          measurements: [
            {
              name: 'Voltage, main',
              measured_value: 3.3,
              units: 'V',
              lower_limit: 3,
              upper_limit: 3.6,
              outcome: 'PASS',
            },
            { name: 'Current', measured_value: 1.9, upper_limit: 1.5, outcome: 'FAIL' },
          ],
        },
        {
          name: 'Radio',
          outcome: 'PASS',
          measurements: [{ name: 'Says "hi"', measured_value: 'yes', outcome: 'UNSET' }],
        },
      ],
    })
  })

  it('reads a measurement of each column, and decimal commas', async () => {
    const file = '\uFEFFSN;Result;Start;U;Door\r\nSN-1;Gut;2026-11-20;3,3;TRUE\r\n'
    const columns = [
      { column: 'U', name: 'Voltage', units: 'V', upperLimit: 3 },
      { column: 'Door', phase: 'Mechanics' },
    ]
    const { run, metadata } = await read(
      file,
      { layout: 'wide', columns },
      { metadata: [{ key: 'line', value: '7' }] },
    )
    expect(run.phases).toMatchObject([
      {
        name: 'measurements',
        outcome: 'FAIL',
        measurements: [{ name: 'Voltage', measured_value: 3.3, outcome: 'FAIL' }],
      },
      { name: 'Mechanics', measurements: [{ name: 'Door', measured_value: true }] },
    ])
    expect(metadata).toEqual([['line', '7']])
  })

  it('reads a phase of each row', async () => {
    const file =
      'SN\tResult\tStart\tStep\tVerdict\tBegan\nS\tfail\t1763631000000\tA\tok\t2026-11-20T09:30:01Z\nS\tfail\t1763631000000\tB\tNG\t\n'
    const phases = { nameColumn: 'Step', outcomeColumn: 'Verdict', startedColumn: 'Began' }
    expect((await read(file, { layout: 'none' }, { phases })).run).toMatchObject({
      outcome: 'FAIL',
      started_at: '2025-11-20T09:30:00.000Z',
      phases: [
        { name: 'A', outcome: 'PASS', started_at: '2026-11-20T09:30:01.000Z' },
        { name: 'B', outcome: 'FAIL', started_at: '2025-11-20T09:30:00.000Z' },
      ],
    })
  })

  it('lets others have their turn, in every row', async () => {
    let rests = 0
    const pace = { isOver: true, rest: () => Promise.resolve(void (rests += 1)) }
    await read(`${LONG_FILE}${'SN-1,Gut,2026-11-20 09:30:00,Radio,RSSI,-50,dBm,,\n'.repeat(100)}`, LONG, {
      pace,
    })
    expect(rests).toBeGreaterThan(200)
  })

  it('begins a phase with its first row and ends it with its last', async () => {
    const file = `SN,Result,Start,Step,Began,Ended
S,pass,2026-11-20,A,2026-11-20T09:30:00Z,2026-11-20T09:30:01Z
S,pass,2026-11-20,A,2026-11-20T09:30:01Z,2026-11-20T09:30:02Z
`
    const phases = { nameColumn: 'Step', startedColumn: 'Began', endedColumn: 'Ended' }
    expect((await read(file, { layout: 'none' }, { phases })).run.phases).toMatchObject([
      { name: 'A', started_at: '2026-11-20T09:30:00.000Z', ended_at: '2026-11-20T09:30:02.000Z' },
    ])
  })

  it.each([
    [
      'another unit',
      LONG_FILE.replace('\nSN-1,Gut,2026-11-20 09:30:00,Radio', '\nSN-2,Gut,2026-11-20 09:30:00,Radio'),
      'row 4.SN is "SN-2" and above it "SN-1"',
    ],
    ['a missing column', LONG_FILE.replace('Value', 'Wert'), 'row 1 has no column "Value"'],
    ['a wrong number', LONG_FILE.replace(',3,3.6', ',x,3.6'), 'row 2.Low is "x": it must be a number'],
    [
      'a wrong number below an empty row',
      LONG_FILE.replace('\nSN-1', '\n\nSN-1').replace(',3,3.6', ',x,3.6'),
      'row 3.Low is "x"',
    ],
    ['a wrong time', LONG_FILE.replaceAll('2026-11-20 09:30:00', 'today'), 'started_at is "today"'],
    ['a wrong verdict', LONG_FILE.replaceAll('Gut', 'Maybe'), 'outcome is "Maybe"'],
    ['an open quote', `${LONG_FILE}"SN-1`, 'row 5 has a quote that never ends'],
    ['no rows', 'SN,Result', 'no row below its header'],
    ['one name twice', 'SN,SN\n1,2\n', 'names the column "SN" twice'],
    ['a workbook', Buffer.from('PK\u0003\u0004'), 'Excel workbook'],
    ['Latin-1', Buffer.from('SN\né', 'latin1'), 'not UTF-8'],
    ['a value without a name', LONG_FILE.replace(',Current,', ',,'), 'row 3.Test is empty beside the value'],
    ['a million cells', `SN\n${`${','.repeat(1_999)}\n`.repeat(501)}`, 'more than 1000000 cells'],
    ['100,001 rows', `SN\n${'1\n'.repeat(100_001)}`, 'more than 100000 rows'],
  ])('says where it cannot read: %s', async (_what, file, message) => {
    await expect(read(file, LONG)).rejects.toThrow(message)
  })

  it('refuses a second row where one row is a run, and too many measurements', async () => {
    const wide = { layout: 'wide', columns: [{ column: 'SN' }] }
    await expect(read(LONG_FILE, wide)).rejects.toThrow('row 3 is a second row')
    const columns = Array.from({ length: 1000 }, () => ({ column: 'SN' }))
    const rows = 'SN-1,Gut,2026-11-20 09:30:00,Power,a\n'.repeat(200)
    const phases = { nameColumn: 'Phase' }
    await expect(
      read(`SN,Result,Start,Phase,Test\n${rows}`, { layout: 'wide', columns }, { phases }),
    ).rejects.toThrow('more than 100000 measurements')
  })
})
