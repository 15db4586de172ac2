import { CreateV2RunRequestSchema, TabularMappingSchema } from '@runledger/protocol'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { readTabular } from './read-tabular'

/*
 * What sigrok-cli 0.7.2 with libsigrok 0.5.2 wrote, byte by byte, of its demonstration device:
 * `sigrok-cli -d demo --channels A1,A3 --config samplerate=1k --samples 12 -O csv:label=channel:time=true -o scope.csv`
 */
const FILE = readFileSync(path.join(import.meta.dirname, '../../recordings/scope.csv'), 'utf8')

const MAPPING = TabularMappingSchema.parse({
  headerRow: 29,
  fields: {
    serial_number: { value: 'AMP-1' },
    procedure: { value: 'Sine and ramp' },
    started_at: { value: '2026-11-29T09:45:31Z' },
    duration: { value: '0.012' },
    outcome: { value: 'FAIL' },
  },
  phases: { nameColumn: 'Time' },
  measurements: {
    layout: 'wide',
    columns: [
      { column: 'A1', name: 'Sine', units: 'V', lowerLimit: -9.8, upperLimit: 9.8 },
      { column: 'A3', units: 'V' },
    ],
  },
})

async function readAll(text: string): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  for await (const run of readTabular(Buffer.from(text), MAPPING)) runs.push(run)
  return runs
}

const period = { started_at: '2026-11-29T09:45:31.000Z', ended_at: '2026-11-29T09:45:31.012Z' }

function sample(name: string, sine: number, ramp: number, outcome = 'PASS') {
  const limits = { units: 'V', lower_limit: -9.8, upper_limit: 9.8 }
  const measurements = [
    { name: 'Sine', measured_value: sine, ...limits, outcome },
    { name: 'A3', measured_value: ramp, units: 'V', outcome: 'UNSET' },
  ]
  return { name, outcome, ...period, measurements }
}

describe('a CSV file of an oscilloscope', () => {
  it('reads every sample below rows that are no table', async () => {
    const [first, ...others] = await readAll(FILE)
    expect(others).toEqual([])
    const { run, ...rest } = first as ImportedRun
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'X' }).error).toBeUndefined()
    expect(rest).toEqual({
      procedureId: undefined,
      procedureName: 'Sine and ramp',
      operator: undefined,
      metadata: [],
      attachments: [],
      declaredAttachments: [],
      warnings: [],
      moreWarnings: 0,
    })
    const { phases, ...facts } = run
    expect(facts).toEqual({ serial_number: 'AMP-1', outcome: 'FAIL', ...period, unit_metadata: {} })
    expect(phases).toEqual([
      sample('1', 0, 0),
      sample('2', 3.09017, 1),
      sample('3', 5.87785, 2),
      sample('4', 8.09017, 3),
      sample('5', 9.51056, 4),
      sample('6', 10, 5, 'FAIL'),
      sample('7', 9.51056, 6),
      sample('8', 8.09017, 7),
      sample('9', 5.87785, 8),
      sample('10', 3.09017, 9),
      sample('11', -3.21625e-15, -10),
      sample('12', -3.09017, -9),
    ])
  })

  it.each([
    ['cut off in a row', FILE.slice(0, FILE.lastIndexOf(',')), 'row 41 breaks off after 2 of 3 cells'],
    ['cut off in its header', FILE.slice(0, FILE.indexOf('Time,') + 2), 'no row below its header'],
    ['with another header', FILE.replace('Time,A1', 'Time;A1'), 'row 29 has no column "Time"'],
    ['with a line missing', FILE.replace('; Samplerate: 1 kHz\n', ''), 'row 29 names the column "0" twice'],
    [
      'with a quote in a value',
      FILE.replace('9.51056,4', '"9.51056,4'),
      'row 34 has a quote that never ends',
    ],
  ])('refuses it %s', async (_what, text, message) => {
    await expect(readAll(text)).rejects.toThrow(message)
  })
})
