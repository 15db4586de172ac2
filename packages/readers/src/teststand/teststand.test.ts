import { CreateV2RunRequestSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { readLineFile } from '../line/read-line-file'

/*
 * The structure of reports that TestStand 2021 wrote (examples of Virinco/TestStand-XML-Converter, MIT), transcribed with values of
 * our own.
 */
const value = (name: string, type: string, text: string) =>
  `<Prop Name='${name}' Type='${type}' Flags='0x0'>\n<Value>${text}</Value>\n</Prop>\n`
const group = (name: string, inner: string, type = 'Obj') =>
  `<Prop Name='${name}' Type='${type}' Flags='0x0'>\n${inner}</Prop>\n`
const list = (name: string, items: string[]) =>
  `<Prop Name='${name}' Type='Array' LBound='[0]' HBound='[${items.length - 1}]' ElementType='Obj' Flags='0x0'>
<ArrayElementPrototype Type='TEResult'></ArrayElementPrototype>
${items.map((item, index) => `<Value ID='[${index}]'>\n${item}</Value>\n`).join('')}</Prop>\n`

interface Result {
  name: string
  status: string
  start: number
  length?: number
  error?: string
  text?: string
  more?: string
  ts?: string
}
const result = ({ name, status, start, length = 0.5, error = '', text = '', more = '', ts = '' }: Result) =>
  `<Prop Type='TEResult' Flags='0x0'>
${group('Error', value('Code', 'Number', error ? '-17500' : '0') + value('Msg', 'String', error) + value('Occurred', 'Boolean', error ? 'True' : 'False'))}
${value('Status', 'String', status)}${value('ReportText', 'String', text)}${group('Common', '')}${more}
${group('TS', `${ts}${value('StartTime', 'Number', String(start))}${value('TotalTime', 'Number', String(length))}${value('StepName', 'String', name)}${value('StepType', 'String', 'x')}`)}
</Prop>\n`
const limits = (inner: string) => group('Limits', inner)

const STEPS = [
  result({
    name: 'Supply',
    status: 'Failed',
    start: 101,
    length: 2,
    ts: group(
      'SequenceCall',
      list('ResultList', [
        result({
          name: '5 V rail',
          status: 'Passed',
          start: 101,
          more:
            value('Numeric', 'Number', '5.01') +
            value('Units', 'String', 'V') +
            limits(value('Low', 'Number', '4.75') + value('High', 'Number', '5.25')) +
            value('Comp', 'String', 'GELE'),
        }),
        result({
          name: 'Rails',
          status: 'Failed',
          start: 102,
          more: list('Measurement', [
            group(
              '3V3',
              value('Data', 'Number', '3.1') +
                value('Status', 'String', 'Failed') +
                value('Units', 'String', 'V') +
                limits(value('Low', 'Number', '3.2')) +
                value('Comp', 'String', 'GE'),
            ),
            group(
              '12V',
              value('Data', 'Number', '12') +
                value('Status', 'String', 'Passed') +
                value('Comp', 'String', 'LOG'),
            ),
          ]),
        }),
      ]),
    ),
  }),
  result({
    name: 'Version',
    status: 'Passed',
    start: 103,
    text: 'Read twice',
    more:
      value('String', 'String', 'v2') +
      limits(value('String', 'String', 'V2')) +
      value('Comp', 'String', 'IgnoreCase'),
  }),
  result({ name: 'Door', status: 'Passed', start: 104, more: value('PassFail', 'Boolean', 'True') }),
  result({ name: 'Label', status: 'Skipped', start: 105 }),
  result({ name: 'Handler', status: 'Error', start: 106, error: 'No part' }),
  result({
    name: 'Scan',
    status: 'Done',
    start: 107,
    more: group('Scanner', value('Port', 'String', 'COM3')),
  }),
]

const report = (
  uut: string,
  status = 'Failed',
  steps = STEPS,
) => `<Report Type='UUT' Title='UUT Report' UUTResult='${status}' StepCount='9'>
${group('UUT', uut)}
${group('StartTime', ['Hours', 'Minutes', 'Seconds', 'Milliseconds'].map((name, index) => value(name, 'Number', ['9', '15', '41', '250'][index] ?? '')).join(''))}
${group('StartDate', value('Text', 'String', 'Thursday') + value('Year', 'Number', '2026') + value('Month', 'Number', '3') + value('MonthDay', 'Number', '5'))}
${group('StationInfo', value('StationID', 'String', 'BENCH-4') + value('LoginName', 'String', 'anna'))}
<Prop Type='TEResult' Flags='0x0'>
${group('TS', group('SequenceCall', list('ResultList', steps) + value('SequenceFile', 'String', 'C:\\tests\\Final test.seq') + value('SequenceFileVersion', 'String', '1.4.0.0') + value('Sequence', 'String', 'MainSequence')) + value('StartTime', 'Number', '100.5') + value('TotalTime', 'Number', '8'))}
${value('Status', 'String', status)}
</Prop>
</Report>`
const UUT =
  value('SerialNumber', 'String', 'SN-0042') +
  value('PartNumber', 'String', 'PCB-7') +
  value('BatchSerialNumber', 'String', 'LOT7') +
  value('TestSocketIndex', 'Number', '2')
const HEAD = `<?xml version="1.0" encoding="iso-8859-1" ?><?xml-stylesheet type="text/xsl" href="C:\\horizontal.xsl"?>\n<Reports>\n`
const FILE = `${HEAD}${report(UUT)}\n</Reports>`

async function readAll(text: string, timeZone?: string): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  for await (const run of readLineFile('TESTSTAND', Buffer.from(text, 'latin1'), { timeZone })) runs.push(run)
  return runs
}

const at = (from: string, to: string) => ({
  started_at: `2026-03-05T${from}Z`,
  ended_at: `2026-03-05T${to}Z`,
})

describe('TestStand', () => {
  it('reads every field of an XML report', async () => {
    const [first, ...others] = await readAll(FILE, 'Europe/Oslo')
    expect(others).toEqual([])
    const { run, ...rest } = first as ImportedRun
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'X' }).error).toBeUndefined()
    const { phases, logs, ...facts } = run
    expect(facts).toEqual({
      outcome: 'FAIL',
      ...at('08:15:41.250', '08:15:49.250'),
      serial_number: 'SN-0042',
      part_number: 'PCB-7',
      revision_number: undefined,
      batch_number: 'LOT7',
      procedure_version: '1.4.0.0',
      docstring: undefined,
    })
    expect(rest).toEqual({
      procedureId: undefined,
      procedureName: 'Final test',
      operator: 'anna',
      metadata: [
        ['importer', 'TESTSTAND'],
        ['station', 'BENCH-4'],
        ['operator', 'anna'],
        ['sequence', 'C:\\tests\\Final test.seq'],
        ['test_socket', '2'],
      ],
      attachments: [],
      declaredAttachments: [],
      warnings: [],
      moreWarnings: 0,
    })
    expect(phases).toEqual([
      {
        name: 'Supply › 5 V rail',
        outcome: 'PASS',
        ...at('08:15:41.750', '08:15:42.250'),
        measurements: [
          {
            name: '5 V rail',
            outcome: 'PASS',
            measured_value: 5.01,
            units: 'V',
            lower_limit: 4.75,
            upper_limit: 5.25,
          },
        ],
      },
      {
        name: 'Supply › Rails',
        outcome: 'FAIL',
        ...at('08:15:42.750', '08:15:43.250'),
        measurements: [
          { name: '3V3', outcome: 'FAIL', measured_value: 3.1, units: 'V', lower_limit: 3.2 },
          { name: '12V', outcome: 'PASS', measured_value: 12 },
        ],
      },
      {
        name: 'Version',
        outcome: 'PASS',
        ...at('08:15:43.750', '08:15:44.250'),
        measurements: [
          {
            name: 'Version',
            outcome: 'PASS',
            measured_value: 'v2',
            validators: [{ operator: '==', expected_value: 'V2', expression: 'x == "V2", in any case' }],
          },
        ],
      },
      {
        name: 'Door',
        outcome: 'PASS',
        ...at('08:15:44.750', '08:15:45.250'),
        measurements: [{ name: 'Door', outcome: 'PASS', measured_value: true }],
      },
      { name: 'Label', outcome: 'SKIP', ...at('08:15:45.750', '08:15:46.250') },
      {
        name: 'Handler',
        outcome: 'ERROR',
        ...at('08:15:46.750', '08:15:47.250'),
        errors: [{ message: 'Error -17500: No part' }],
      },
      { name: 'Scan', outcome: 'PASS', ...at('08:15:47.750', '08:15:48.250') },
    ])
    expect(logs?.map(({ source_file: name, message }) => `${name}: ${message}`)).toEqual([
      'Version: Read twice',
      'Scan: Scanner.Port = COM3',
    ])
  })

  it('reads several units, a terminated one among them, and says that their times have no zone', async () => {
    const second = report(UUT.replace('0042', '0043'), 'Terminated')
    const runs = await readAll(`${HEAD}<Report Type='Batch'></Report>${report(UUT)}${second}</Reports>`)
    expect(runs.map(({ run }) => [run.serial_number, run.outcome])).toEqual([
      ['SN-0042', 'FAIL'],
      ['SN-0043', 'ABORTED'],
    ])
    expect(runs[0]?.warnings).toEqual([
      expect.stringContaining('times without a zone, which were read as UTC'),
    ])
  })

  const numeric = (name: string, comparison: string, all: Record<string, string>) =>
    result({
      name,
      status: 'Passed',
      start: 101,
      more:
        value('Numeric', 'Number', '5') +
        limits(
          Object.entries(all)
            .map(([key, text]) => value(key, 'Number', text))
            .join(''),
        ) +
        value('Comp', 'String', comparison),
    })

  it('reads an infinite limit as none, and a tolerance with all its numbers', async () => {
    const steps = [
      numeric('a', 'GELE', { Low: '-INF', High: '6' }),
      numeric('b', 'GT', { Low: 'NAN' }),
      numeric('c', 'EQT', { Nominal: '5', Low: '10', High: '20' }),
    ]
    const [read] = await readAll(`${HEAD}${report(UUT, 'Passed', steps)}</Reports>`)
    expect(CreateV2RunRequestSchema.safeParse({ ...read?.run, procedure_id: 'X' }).error).toBeUndefined()
    const measured = { outcome: 'PASS', measured_value: 5 }
    expect(read?.run.phases?.flatMap(({ measurements }) => measurements)).toEqual([
      { name: 'a', ...measured, upper_limit: 6 },
      { name: 'b', ...measured, validators: [{ expression: 'x > NaN' }] },
      {
        name: 'c',
        ...measured,
        validators: [{ expression: 'x EQT Limits.Nominal = 5, Limits.Low = 10, Limits.High = 20' }],
      },
    ])
  })

  const verdictsOf = async (...steps: string[]) => {
    const [read] = await readAll(`${HEAD}${report(UUT, 'Failed', steps)}</Reports>`)
    return read?.run.phases?.flatMap(({ measurements }) =>
      (measurements ?? []).map(({ name, outcome }) => [name, outcome]),
    )
  }

  it('judges a value without a verdict by its limits if another value of its step failed', async () => {
    const flag = value('Data', 'Boolean', 'False') + value('Status', 'String', 'Failed')
    const range = limits(value('Low', 'Number', '1') + value('High', 'Number', '9'))
    const number = value('Data', 'Number', '5') + range + value('Comp', 'String', 'GELE')
    const more = list('Measurement', [group('Ok', flag), group('V', number)])
    expect(await verdictsOf(result({ name: 'T', status: 'Failed', start: 101, more }))).toEqual([
      ['Ok', 'FAIL'],
      ['V', 'PASS'],
    ])
  })

  it('judges the values in the summary of a loop by their limits', async () => {
    const loop = (status: string, measured: string) =>
      numeric('Retry', 'GELE', { Low: '1', High: '9' })
        .replace('>Passed<', `>${status}<`)
        .replace('>5<', `>${measured}<`)
        .replace("<Prop Name='TS' Type='Obj' Flags='0x0'>\n", (ts) => ts + value('NumLoops', 'Number', '2'))
    const flags = result({
      name: 'Door',
      status: 'Failed',
      start: 101,
      more: value('PassFail', 'Boolean', 'True'),
      ts: value('NumLoops', 'Number', '2'),
    })
    expect(await verdictsOf(loop('Failed', '5'), loop('Passed', '0'), flags)).toEqual([
      ['Retry', 'PASS'],
      ['Retry', 'FAIL'],
      ['Door', 'UNSET'],
    ])
  })

  /** Many values with long nested names. */
  const deep = group(
    'n'.repeat(100),
    Array.from({ length: 5_000 }, () => value('Low', 'Number', '1')).join(''),
  )
  const nested = Array.from({ length: 80 }).reduce<string>((inner) => group('n'.repeat(100), inner), deep)

  it(
    'names the first values of long limits and results, and counts the others',
    { timeout: 30_000 },
    async () => {
      const step = numeric('c', 'EQT', {}).replace(limits(''), limits(nested) + group('Scanner', nested))
      const [read] = await readAll(`${HEAD}${report(UUT, 'Passed', [step])}</Reports>`)
      expect(CreateV2RunRequestSchema.safeParse({ ...read?.run, procedure_id: 'X' }).error).toBeUndefined()
      const [limit] = read?.run.phases?.[0]?.measurements?.[0]?.validators ?? []
      expect(limit?.expression).toHaveLength(10_000)
      expect(read?.run.logs).toHaveLength(2)
      expect(read?.warnings).toContain('line 3.c.c.limit was cut at 10000 characters')
      expect(read?.warnings).toContain(
        'line 3.c has more further values than the log takes, and 4998 were left out',
      )
    },
  )

  it('cuts units and limits that are longer than a text may be', async () => {
    const long = 'u'.repeat(20_000)
    const step = numeric('a', long, { Low: '1' }).replace(
      '</Value>\n</Prop>\n<Prop',
      `</Value>\n</Prop>\n${value('Units', 'String', long)}<Prop`,
    )
    const [read] = await readAll(`${HEAD}${report(UUT, 'Passed', [step])}</Reports>`)
    expect(CreateV2RunRequestSchema.safeParse({ ...read?.run, procedure_id: 'X' }).error).toBeUndefined()
    expect(read?.warnings).toEqual(expect.arrayContaining(['line 3.a.a.limit was cut at 10000 characters']))
  })

  it.each([
    ['an endless step', FILE.replace('>101<', '>1e300<'), 'Supply › 5 V rail.start is 1e+'],
    ['half of it', FILE.slice(0, 3000), 'it is not well-formed XML at line'],
    ['another root', '<testsuite/>', 'its root is <testsuite>'],
    ['no serial number', FILE.replace('SN-0042', ''), 'line 3 has no serial number'],
    ['no result', `${HEAD}<Report Type='UUT'></Report></Reports>`, 'line 3 has no result'],
    ['a wrong value', FILE.replace('5.01', 'high'), /line \d+ has "high", which must be a number/],
    ['a wrong verdict', FILE.replaceAll('>Failed<', '>Fine<'), /line \d+\.Status is "Fine"/],
    ['no start', FILE.replaceAll('>2026<', '><'), 'line 3 has no start'],
    ['entities', `<!DOCTYPE a [<!ENTITY b "c">]><Reports/>`, 'it has a DOCTYPE'],
  ])('refuses a report with %s', async (_what, text, message) => {
    await expect(readAll(text)).rejects.toThrow(message)
  })
})
