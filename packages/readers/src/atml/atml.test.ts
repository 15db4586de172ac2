import { CreateV2RunRequestSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { readLineFile } from '../line/read-line-file'

/*
 * The structure of a report that TestStand 2019 wrote (in lopolo28/ReportToExcelParser, without a licence), transcribed with values
 * of our own and the namespaces of version 6 (IEEE 1636.1-2013).
 */
const time = (second: string) => `2026-03-05T09:15:${second}`
const datum = (value: string, type = 'double', unit = '') =>
  type === 'string'
    ? `<c:Datum xsi:type="ts:TS_string" flags = "0x2400"><c:Value>${value}</c:Value></c:Datum>`
    : `<c:Datum value = "${value}" xsi:type="ts:TS_${type}"${unit && ` nonStandardUnit="${unit}"`} flags = "0x2400"/>`
const limit = (comparator: string, value: string) =>
  `<c:Limit comparator = "${comparator}">${datum(value)}</c:Limit>`
const test = (name: string, outcome: string, inner: string, from = '42.000', to = '42.500') =>
  `<tr:Test ID = "1" name = "${name}" startDateTime = "${time(from)}" endDateTime = "${time(to)}">
<tr:Extension><ts:TSStepProperties><ts:StepType>x</ts:StepType></ts:TSStepProperties></tr:Extension>
<tr:Outcome ${outcome} />
${inner}</tr:Test>\n`
const measured = (name: string, data: string, limits = '', outcome = '') =>
  `<tr:TestResult ID = "tr" name = "${name}">${outcome}<tr:TestData>${data}</tr:TestData>${
    limits && `<tr:TestLimits><tr:Limits>${limits}</tr:Limits></tr:TestLimits>`
  }</tr:TestResult>\n`
const pair = (operator: string, first: string, second: string) =>
  `<c:LimitPair operator = "${operator}">${first}${second}</c:LimitPair>`

const STEPS = [
  `<tr:TestGroup name="C:\\x.seq#Supply" ID="2" callerName='Supply' startDateTime = "${time('42.000')}" endDateTime = "${time('44.000')}">
<tr:Outcome value="Failed" />
${test('5 V rail', 'value = "Passed"', measured('Numeric', datum('5.01', 'double', 'V'), pair('AND', limit('GE', '4.75'), limit('LE', '5.25'))))}
${test('Ripple', 'value = "Failed"', measured('Numeric', datum('0.2', 'double', 'V'), `<c:SingleLimit comparator = "LT">${datum('0.1')}</c:SingleLimit>`), '42.500', '43.000')}
${test(
  'Rails',
  'value = "Passed"',
  measured(
    '3V3',
    datum('3.3', 'double', 'V'),
    pair('AND', limit('GE', '3.2'), limit('LE', '3.4')),
    '<tr:Outcome value = "Passed" />',
  ) +
    measured(
      'Outside',
      datum('9'),
      pair('OR', limit('LT', '1'), limit('GT', '5')),
      '<tr:Outcome value = "Passed" />',
    ),
  '43.000',
  '43.500',
)}
</tr:TestGroup>\n`,
  test(
    'Version',
    'value = "Passed"',
    measured(
      'String',
      datum('v2', 'string'),
      `<c:Expected comparator = "CIEQ">${datum('V2', 'string')}</c:Expected>`,
    ),
  ),
  test(
    'Twelve',
    'value = "Passed"',
    measured('Numeric', datum('12'), `<c:Expected comparator = "EQ">${datum('12')}</c:Expected>`),
  ),
  test('Door', 'value = "Passed"', measured('Closed', datum('true', 'boolean'))),
  test(
    'Wave',
    'value = "Passed"',
    measured(
      'Trace',
      '<c:IndexedArray dimensions="[2]" xsi:type="ts:TS_doubleArray"><ts:Element position ="[0]" value = "1"/><ts:Element position ="[1]" value = "2.5"/></c:IndexedArray>',
    ),
  ),
  test('Label', 'value = "NotStarted" qualifier="Skipped"', ''),
  test(
    'Handler',
    'value = "Aborted" qualifier="Error"',
    '<tr:Events><tr:Error><tr:Message>No part</tr:Message></tr:Error></tr:Events>',
  ),
  `<tr:SessionAction ID = "9" name = "Scan" startDateTime = "${time('46.000')}" endDateTime = "${time('46.100')}">
<tr:Data><c:Collection><c:Item name = "Port">${datum('COM3', 'string')}</c:Item></c:Collection></tr:Data>
<tr:ActionOutcome value = "Done" /></tr:SessionAction>\n`,
].join('')

const results = (
  outcome: string,
  serial = 'SN-0042',
) => `<trc:TestResults uuid="c283b7fe-198a-11ed-8dee-00802f335b81">
<tr:Personnel><tr:SystemOperator ID = "anna" name = "anna"/></tr:Personnel>
<tr:ResultSet ID="1" name = "C:\\tests\\Final test.seq#MainSequence" startDateTime = "${time('41.250')}" endDateTime = "${time('49.250')}">
<tr:Outcome ${outcome} />
${STEPS}</tr:ResultSet>
<tr:TestProgram><c:SerialNumber>BENCH-4</c:SerialNumber></tr:TestProgram>
<tr:TestStation><c:SerialNumber>BENCH-4</c:SerialNumber></tr:TestStation>
<tr:UUT><c:Definition><c:Identification><c:ModelName>UNKNOWN</c:ModelName><c:IdentificationNumbers>
<c:IdentificationNumber number="PCB-7" type="Part" qualifier="PCB-7"/></c:IdentificationNumbers></c:Identification></c:Definition>
<c:SerialNumber>${serial}</c:SerialNumber></tr:UUT>
<tr:Extension><ts:TSResultSetProperties><ts:BatchSerialNumber value = 'LOT7'/><ts:TestSocketIndex value = '2'/></ts:TSResultSetProperties></tr:Extension>
</trc:TestResults>\n`
const HEAD = `<?xml version="1.0" encoding="utf-8" ?>
<trc:TestResultsCollection xmlns:trc="urn:IEEE-1636.1:2013:TestResultsCollection" xmlns:tr="urn:IEEE-1636.1:2013:TestResults" xmlns:c="urn:IEEE-1671:2010:Common" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ts="www.ni.com/TestStand/ATMLTestResults/3.0">\n`
const END = '</trc:TestResultsCollection>'
const FILE = `${HEAD}${results('value="Failed"')}${END}`

async function readAll(text: string, timeZone?: string): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  for await (const run of readLineFile('ATML', Buffer.from(text), { timeZone })) runs.push(run)
  return runs
}

const at = (from = '42.000', to = '42.500') => ({
  started_at: `2026-03-05T08:15:${from}Z`,
  ended_at: `2026-03-05T08:15:${to}Z`,
})

describe('ATML', () => {
  it('reads every field of test results', async () => {
    const [first, ...others] = await readAll(FILE, 'Europe/Oslo')
    expect(others).toEqual([])
    const { run, ...rest } = first as ImportedRun
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'X' }).error).toBeUndefined()
    const { phases, logs, ...facts } = run
    expect(facts).toEqual({
      outcome: 'FAIL',
      ...at('41.250', '49.250'),
      serial_number: 'SN-0042',
      part_number: 'PCB-7',
      revision_number: undefined,
      batch_number: 'LOT7',
      procedure_version: undefined,
      docstring: undefined,
    })
    expect(rest).toEqual({
      procedureId: undefined,
      procedureName: 'Final test',
      operator: 'anna',
      metadata: [
        ['importer', 'ATML'],
        ['station', 'BENCH-4'],
        ['operator', 'anna'],
        ['report_id', 'c283b7fe-198a-11ed-8dee-00802f335b81'],
        ['sequence', 'C:\\tests\\Final test.seq'],
        ['test_socket', '2'],
      ],
      attachments: [],
      declaredAttachments: [],
      warnings: [],
      moreWarnings: 0,
    })
    const passed = (name: string, measurement: object) => ({
      name,
      outcome: 'PASS',
      ...at(),
      measurements: [{ name, outcome: 'PASS', ...measurement }],
    })
    expect(phases).toEqual([
      passed('Supply › 5 V rail', {
        name: '5 V rail',
        measured_value: 5.01,
        units: 'V',
        lower_limit: 4.75,
        upper_limit: 5.25,
      }),
      {
        name: 'Supply › Ripple',
        outcome: 'FAIL',
        ...at('42.500', '43.000'),
        measurements: [
          {
            name: 'Ripple',
            outcome: 'FAIL',
            measured_value: 0.2,
            units: 'V',
            upper_limit: 0.1,
            validators: [{ operator: '<', expected_value: 0.1 }],
          },
        ],
      },
      {
        name: 'Supply › Rails',
        outcome: 'PASS',
        ...at('43.000', '43.500'),
        measurements: [
          {
            name: '3V3',
            outcome: 'PASS',
            measured_value: 3.3,
            units: 'V',
            lower_limit: 3.2,
            upper_limit: 3.4,
          },
          {
            name: 'Outside',
            outcome: 'PASS',
            measured_value: 9,
            validators: [{ expression: 'x < 1 or x > 5' }],
          },
        ],
      },
      passed('Version', {
        measured_value: 'v2',
        validators: [{ operator: '==', expected_value: 'V2', expression: 'x == "V2", in any case' }],
      }),
      passed('Twelve', { measured_value: 12, validators: [{ operator: '==', expected_value: 12 }] }),
      passed('Door', { name: 'Closed', outcome: 'UNSET', measured_value: true }),
      passed('Wave', { name: 'Trace', outcome: 'UNSET', measured_value: [1, 2.5] }),
      { name: 'Label', outcome: 'SKIP', ...at() },
      { name: 'Handler', outcome: 'ERROR', ...at(), errors: [{ message: 'No part' }] },
      { name: 'Scan', outcome: 'PASS', ...at('46.000', '46.100') },
    ])
    expect(logs?.map(({ source_file: name, message }) => `${name}: ${message}`)).toEqual([
      'Scan: Port = COM3',
    ])
  })

  it('reads several units, a terminated one among them, and says that their times have no zone', async () => {
    const second = results('value="Aborted" qualifier="Terminated"', 'SN-0043')
    const runs = await readAll(`${HEAD}${results('value="Passed"')}${second}${END}`)
    expect(runs.map(({ run }) => [run.serial_number, run.outcome])).toEqual([
      ['SN-0042', 'PASS'],
      ['SN-0043', 'ABORTED'],
    ])
    expect(runs[0]?.warnings).toEqual([
      expect.stringContaining('times without a zone, which were read as UTC'),
    ])
  })

  it('reads the expected value of a boolean', async () => {
    const expected = `<c:Expected comparator = "EQ">${datum('true', 'boolean')}</c:Expected>`
    const closed = measured('Closed', datum('true', 'boolean'))
    const [read] = await readAll(FILE.replace(closed, measured('Closed', datum('true', 'boolean'), expected)))
    expect(read?.run.phases?.find(({ name }) => name === 'Door')?.measurements).toEqual([
      {
        name: 'Closed',
        outcome: 'PASS',
        measured_value: true,
        validators: [{ operator: '==', expected_value: true }],
      },
    ])
  })

  it(
    'names the first values of long limits and data, and counts the others',
    { timeout: 30_000 },
    async () => {
      const items = Array.from(
        { length: 5_000 },
        () => '<c:Item name="x"><c:Datum value="1"/></c:Item>',
      ).join('')
      const nested = Array.from({ length: 60 }).reduce<string>(
        (inner) => `<c:Item name="${'n'.repeat(100)}">${inner}</c:Item>`,
        items,
      )
      const closed = measured('Closed', datum('true', 'boolean'))
      const long =
        measured('Closed', datum('true', 'boolean'), nested) +
        measured('More', `<c:Collection>${nested}</c:Collection>`)
      const [read] = await readAll(FILE.replace(closed, long))
      expect(CreateV2RunRequestSchema.safeParse({ ...read?.run, procedure_id: 'X' }).error).toBeUndefined()
      const [measurement] = read?.run.phases?.find(({ name }) => name === 'Door')?.measurements ?? []
      expect(measurement?.validators?.[0]?.expression).toHaveLength(10_000)
      expect(read?.warnings.join()).toMatch(
        /Door has more further values than the log takes, and 499\d were left out/,
      )
    },
  )

  it('judges a value without a verdict by its limits if an inner step or another value explains the failure', async () => {
    const range = pair('AND', limit('GE', '1'), limit('LE', '9'))
    const inner = test('Inner', 'value = "Failed"', '')
    const outer = (value: string, more: string) =>
      test('Outer', 'value = "Failed"', measured('Numeric', datum(value), range) + more)
    const verdictOf = async (value: string, more: string) => {
      const [read] = await readAll(
        `${HEAD}${results('value="Failed"').replace(STEPS, outer(value, more))}${END}`,
      )
      return read?.run.phases?.find(({ name }) => name === 'Outer')?.measurements?.[0]?.outcome
    }
    expect(await verdictOf('5', inner)).toBe('PASS')
    expect(await verdictOf('0', inner)).toBe('FAIL')
    expect(await verdictOf('5', '')).toBe('FAIL')
    const other = measured('Ok', datum('false', 'boolean'), '', '<tr:Outcome value = "Failed" />')
    expect(await verdictOf('5', other)).toBe('PASS')
    expect(await verdictOf('0', other)).toBe('FAIL')
  })

  it('judges the value in the summary of a loop by its limits', async () => {
    const range = pair('AND', limit('GE', '1'), limit('LE', '9'))
    const retry = test('Retry', 'value = "Failed"', measured('Numeric', datum('5'), range)).replace(
      '<ts:StepType>',
      '<ts:NumLoops value = "2"/><ts:StepType>',
    )
    const [read] = await readAll(`${HEAD}${results('value="Failed"').replace(STEPS, retry)}${END}`)
    expect(read?.run.phases).toMatchObject([{ name: 'Retry (loop)', measurements: [{ outcome: 'PASS' }] }])
  })

  it.each([
    ['half of it', FILE.slice(0, 3000), 'it is not well-formed XML at line'],
    ['another root', '<testsuite/>', 'its root is <testsuite>'],
    ['no serial number', FILE.replace('SN-0042', ''), 'line 3 has no serial number'],
    ['no results', `${HEAD}<trc:TestResults/>${END}`, 'line 3 has no <ResultSet>'],
    ['a wrong value', FILE.replace('"5.01"', '"high"'), /line \d+ has "high", which must be a number/],
    ['a wrong verdict', FILE.replaceAll('value="Failed"', 'value="Fine"'), /line \d+ is "Fine"/],
    ['a wrong start', FILE.replace(time('41.250'), 'today'), /line \d+\.startDateTime is "today"/],
    ['entities', `<!DOCTYPE a [<!ENTITY b "c">]>${FILE.slice(40)}`, 'it has a DOCTYPE'],
  ])('refuses results with %s', async (_what, text, message) => {
    await expect(readAll(text)).rejects.toThrow(message)
  })
})
