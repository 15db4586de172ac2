import { type TabularMapping, TabularMappingSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { readTabular } from './read-tabular'

/** A bench's file of a day: rows above the header, limits below it, German numbers and times, Windows' characters. */
const BENCH = [
  'Prüfplatz 4;Programm FCT 2.1',
  '',
  'SN;Typ;Charge;Datum;Uhrzeit;Dauer;Ergebnis;Prüfer;U 5V;Temperatur;Siegel',
  ';;;;;;LSL;;4,75;;',
  ';;;;;;USL;;5,25;60,5;',
  ';;;;;;Einheit;;V;°C;',
  'A-1;PCB01;L7;05.03.2026;08:15:00;12,5;i.O.;Meier;5,01;41,2;ok',
  'A-2;PCB01;L7;29.03.2026;14:00:00;13;n.i.O.;Meier;5,31;44;ok',
].join('\r\n')

const MAPPING = {
  encoding: 'windows-1252',
  delimiter: ';',
  decimal: ',',
  headerRow: 3,
  timeFormat: 'dd.MM.yyyy HH:mm:ss',
  timeZone: 'Europe/Berlin',
  runs: 'row',
  limitRows: { column: 'Ergebnis', lower: 'LSL', upper: 'USL', units: 'Einheit' },
  fields: {
    serial_number: { column: 'SN' },
    part_number: { column: 'Typ' },
    batch_number: { column: 'Charge' },
    procedure: { value: 'FCT' },
    procedure_version: { value: '2.1' },
    station: { value: 'Prüfplatz 4' },
    operator: { column: 'Prüfer' },
    started_at: { columns: ['Datum', 'Uhrzeit'] },
    duration: { column: 'Dauer' },
    outcome: { column: 'Ergebnis', valueMap: { 'i.O.': 'PASS', 'n.i.O.': 'FAIL' } },
  },
  measurements: {
    layout: 'wide',
    columns: [
      { column: 'U 5V', phase: 'Supply' },
      { column: 'Temperatur', name: 'Temperature', phase: 'Supply' },
      { column: 'Siegel' },
    ],
  },
}

async function readAll(text: string, mapping: object): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  const parsed: TabularMapping = TabularMappingSchema.parse(mapping)
  for await (const run of readTabular(Buffer.from(text, 'latin1'), parsed)) runs.push(run)
  return runs
}

const change = (fields: object, more: object = {}) => ({
  ...MAPPING,
  ...more,
  fields: { ...MAPPING.fields, ...fields },
})

describe('a CSV file of a production line', () => {
  it('makes a run of each row, with limits and units of rows of their own', async () => {
    const [first, second, ...others] = await readAll(BENCH, MAPPING)
    expect(others).toEqual([])
    expect(first).toEqual({
      procedureId: undefined,
      procedureName: 'FCT',
      operator: 'Meier',
      run: {
        // 08:15 in winter, one hour before UTC.
        started_at: '2026-03-05T07:15:00.000Z',
        ended_at: '2026-03-05T07:15:12.500Z',
        serial_number: 'A-1',
        part_number: 'PCB01',
        revision_number: undefined,
        batch_number: 'L7',
        procedure_version: '2.1',
        operated_by: undefined,
        docstring: undefined,
        outcome: 'PASS',
        unit_metadata: {},
        phases: [
          {
            name: 'Supply',
            outcome: 'PASS',
            started_at: '2026-03-05T07:15:00.000Z',
            ended_at: '2026-03-05T07:15:12.500Z',
            measurements: [
              {
                name: 'U 5V',
                measured_value: 5.01,
                units: 'V',
                lower_limit: 4.75,
                upper_limit: 5.25,
                outcome: 'PASS',
              },
              { name: 'Temperature', measured_value: 41.2, units: '°C', upper_limit: 60.5, outcome: 'PASS' },
            ],
          },
          {
            name: 'measurements',
            outcome: 'PASS',
            started_at: '2026-03-05T07:15:00.000Z',
            ended_at: '2026-03-05T07:15:12.500Z',
            measurements: [{ name: 'Siegel', measured_value: 'ok', outcome: 'UNSET' }],
          },
        ],
      },
      metadata: [
        ['operator', 'Meier'],
        ['station', 'Prüfplatz 4'],
      ],
      attachments: [],
      declaredAttachments: [],
      warnings: [],
      moreWarnings: 0,
    })
    // In summer, on the day when the clocks change.
    expect(second?.run).toMatchObject({ outcome: 'FAIL', started_at: '2026-03-29T12:00:00.000Z' })
    expect(second?.run.phases?.[0]).toMatchObject({
      outcome: 'FAIL',
      measurements: [{ outcome: 'FAIL' }, {}],
    })
  })

  it('makes a run of the rows of a unit and a start, each row a measurement', async () => {
    const file = [
      'SN,Start,Result,Test,Value,Low,High',
      'B-1,2026-03-05 08:00:00,PASS,R1,10.2,9,11',
      'B-2,2026-03-05 08:00:00,FAIL,R1,12.2,9,11',
      'B-1,2026-03-05 08:00:00,PASS,R2,5,4,',
      'B-1,2026-03-05 09:00:00,PASS,R1,10.1,9,11',
    ].join('\n')
    const measurements = {
      layout: 'long',
      nameColumn: 'Test',
      valueColumn: 'Value',
      lowerColumn: 'Low',
      upperColumn: 'High',
    }
    const fields = {
      serial_number: { column: 'SN' },
      started_at: { column: 'Start' },
      outcome: { column: 'Result' },
    }
    const runs = await readAll(file, { runs: 'unit', fields, measurements })
    const shown = runs.map(({ run }) => [
      run.serial_number,
      run.started_at.slice(11, 16),
      run.outcome,
      run.phases?.[0]?.measurements?.map(({ name, measured_value: value }) => `${name}=${String(value)}`),
    ])
    expect(shown).toEqual([
      ['B-1', '08:00', 'PASS', ['R1=10.2', 'R2=5']],
      ['B-2', '08:00', 'FAIL', ['R1=12.2']],
      ['B-1', '09:00', 'PASS', ['R1=10.1']],
    ])
    expect(runs[0]?.warnings).toEqual([
      expect.stringContaining('timeZone is not in the mapping: times without a zone were read as UTC'),
    ])
  })

  it('takes limits of a measurement from columns of its row', async () => {
    const file = 'SN,U,Umin,Umax,Unit\nC-1,3.2,3,3.1,V\n'
    const columns = [{ column: 'U', lowerColumn: 'Umin', upperColumn: 'Umax', unitsColumn: 'Unit' }]
    const fields = {
      serial_number: { column: 'SN' },
      started_at: { value: '2026-03-05T08:00:00Z' },
      outcome: { value: 'FAIL' },
    }
    const [run] = await readAll(file, { runs: 'row', fields, measurements: { layout: 'wide', columns } })
    expect(run?.run.phases?.[0]?.measurements).toEqual([
      { name: 'U', measured_value: 3.2, units: 'V', lower_limit: 3, upper_limit: 3.1, outcome: 'FAIL' },
    ])
  })

  it.each([
    [
      'a time in another format',
      BENCH.replace('29.03.2026', '2026-03-29'),
      MAPPING,
      'row 8.started_at is "2026-03-29 14:00:00"',
    ],
    ['a row without a serial number', BENCH.replace('A-2', ''), MAPPING, 'row 8 has no serial number'],
    ['a limit that is no number', BENCH.replace('4,75', 'low'), MAPPING, 'row 4.U 5V is "low"'],
    ['limits that are not there', BENCH.replace('LSL', 'MIN'), MAPPING, 'Ergebnis is "LSL" in no row'],
    ['a verdict that may say either', BENCH.replace('n.i.O.', '0'), MAPPING, 'row 8.outcome is "0"'],
    [
      'an endless duration',
      BENCH.replace(';13;', ';1e300;'),
      MAPPING,
      'row 8.duration is 1e+300 seconds after 1970, which is no time',
    ],
    ['a duration below zero', BENCH.replace(';13;', ';-1;'), MAPPING, 'row 8.duration is "-1"'],
    ['a format without a year', BENCH, change({}, { timeFormat: 'dd.MM.' }), 'it must say the year'],
    [
      'a column that is not there',
      BENCH,
      change({ station: { column: 'Platz' } }),
      'row 3 has no column "Platz"',
    ],
  ])('says where it cannot read: %s', async (_what, file, mapping, message) => {
    await expect(readAll(file, mapping)).rejects.toThrow(message)
  })

  it('refuses a date without separators, which is not a number of milliseconds', async () => {
    const fields = { serial_number: { value: 'S' }, started_at: { column: 'T' }, outcome: { value: 'PASS' } }
    const mapping = { fields, measurements: { layout: 'none' } }
    await expect(readAll('T\n202603050915\n', mapping)).rejects.toThrow('started_at is "202603050915"')
    const [run] = await readAll('T\n1772702100000\n', mapping)
    expect(run?.run.started_at).toBe('2026-03-05T09:15:00.000Z')
  })

  it.each([
    ['M/d/yyyy h:mm:ss a', '3/5/2026 1:02:03 PM', '2026-03-05T13:02:03.000Z'],
    ['M/d/yyyy h:mm:ss a', '3/5/2026 12:02:03 am', '2026-03-05T00:02:03.000Z'],
    ['dd-MMM-yy HH:mm:ss.SSS', '05-Mar-26 08:09:10.125', '2026-03-05T08:09:10.125Z'],
    ['yyyy-MM-dd HH:mm:ssXXX', '2026-03-05 08:09:10+05:30', '2026-03-05T02:39:10.000Z'],
  ])('reads times in the format %s', async (timeFormat, text, time) => {
    const fields = { serial_number: { value: 'S' }, started_at: { column: 'T' }, outcome: { value: 'PASS' } }
    const [run] = await readAll(`T\n${text}\n`, { timeFormat, fields, measurements: { layout: 'none' } })
    expect(run?.run.started_at).toBe(time)
  })
})
