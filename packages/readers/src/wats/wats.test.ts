import { CreateV2RunRequestSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { findLineFormat } from '../line/find-format'
import { type LineFormat, readLineFile } from '../line/read-line-file'

/*
 * The structure of reports that the WATS server exports as WSJF and WSXF (those of one report, in the tests of WATS's own Python
 * library, olreppe/pyWATS, MIT), transcribed with values of our own.
 */
const numeric = (compOp: string, status: string, value: number, limits: object) => ({
  compOp,
  name: null,
  status,
  unit: 'V',
  value,
  highLimit: null,
  lowLimit: null,
  ...limits,
})
const step = (name: string, stepType: string, status: string, more: object = {}) => ({
  id: 1,
  group: 'M',
  stepType,
  name,
  status,
  totTime: 0.5,
  causedUUTFailure: false,
  ...more,
})
const REPORT = {
  type: 'T',
  id: '0b7c7f5e-1f0a-4c7e-9a55-3f2f1f4f7d11',
  pn: 'PCB-7',
  sn: 'SN-0042',
  rev: 'B',
  productName: null,
  processCode: 50,
  processName: 'PCBA test',
  result: 'F',
  machineName: 'BENCH-4',
  location: 'Oslo',
  purpose: 'Production',
  start: '2026-03-05T09:15:41.4707353+01:00',
  startUTC: '2026-03-05T08:15:41.4707353Z',
  uut: {
    execTime: 12.5,
    testSocketIndex: -1,
    batchSN: 'LOT 7/2',
    comment: 'After rework',
    errorCode: 0,
    errorMessage: null,
    fixtureId: 'F-9',
    user: 'anna',
  },
  miscInfos: [
    { description: 'Humidity', text: null, numeric: 41.5 },
    { description: 'Firmware', text: '2.1 <beta>', numeric: null },
  ],
  subUnits: [{ partType: 'RF', pn: 'RF-1', rev: 'A', sn: 'RF-0007', position: 0 }],
  assets: [],
  root: step('MainSequence Callback', 'SequenceCall', 'F', {
    seqCall: { path: 'fct.seq', name: 'MainSequence', version: '1.4.0' },
    steps: [
      step('Supply', 'SequenceCall', 'F', {
        steps: [
          step('5 V rail', 'ET_NLT', 'P', {
            numericMeas: [numeric('GELE', 'P', 5.01, { lowLimit: 4.75, highLimit: 5.25 })],
          }),
          step('Ripple', 'ET_NLT', 'F', { numericMeas: [numeric('LT', 'F', 0.2, { lowLimit: 0.1 })] }),
          step('Rails', 'ET_MNLT', 'P', {
            numericMeas: [
              { ...numeric('LOG', 'P', 3.3, {}), name: '3V3' },
              { ...numeric('EQ', 'P', 12, { lowLimit: 12 }), name: '12V' },
              { ...numeric('LTGT', 'P', 9, { lowLimit: 1, highLimit: 5 }), name: 'Outside' },
            ],
          }),
        ],
      }),
      step('Door closed', 'ET_PFT', 'P', { booleanMeas: [{ name: null, status: 'P' }] }),
      step('Version', 'ET_SVT', 'P', {
        reportText: 'Read twice',
        stringMeas: [{ compOp: 'IGNORECASE', name: null, status: 'P', value: 'v2.1', limit: 'V2.1' }],
      }),
      step('Optional', 'Action', 'S'),
      step('Log in', 'MessagePopup', 'D', { messagePopup: { response: 'yes', button: 1 } }),
      step('Handler', 'CallExecutable', 'E', {
        errorCode: -17,
        errorMessage: 'No part',
        callExe: { exitCode: 3 },
      }),
      step('Sweep', 'WATS_XYGMNLT', 'P', {
        chart: {
          chartType: 'Line',
          label: 'Gain',
          xLabel: 'f',
          xUnit: 'Hz',
          yLabel: 'G',
          yUnit: 'dB',
          series: [{ dataType: 'XYG', name: 'Ch 1', xdata: '1;2;3', ydata: '0;-1;-3' }],
        },
      }),
      step('Retry', 'ET_NLT', 'P', {
        loop: { idx: null, num: 2, endingIndex: 2, passed: 1, failed: 1 },
        numericMeas: [numeric('GE', 'P', 2, { lowLimit: 1 })],
      }),
      step('Retry', 'ET_NLT', 'P', {
        loop: { idx: 0, num: null },
        numericMeas: [numeric('GE', 'P', 2, { lowLimit: 1 })],
      }),
      step('Photo', 'Action', 'D', {
        attachment: { name: 'board.png', contentType: 'image/png', data: 'aGVsbG8=' },
      }),
    ],
  }),
}

const XML_STEP = (name: string, type: string, status: string, inner = '', more = '') =>
  `<Step Id="1" Group="Main" Name="${name}" StepType="${type}" Status="${status}" total_time="0.5"${more}>${inner}</Step>\n`
const XML_NUMBER = (more: string, status = 'Passed') =>
  `<NumericLimit ${more} Units="V" Status="${status}" MeasIndex="0" />`
const XML = `<?xml version="1.0" encoding="utf-8"?><Reports xmlns="http://wats.virinco.com/schemas/WATS/Report/wsxf">
<Report type="UUT" ID="0b7c7f5e-1f0a-4c7e-9a55-3f2f1f4f7d11" Start="2026-03-05T09:15:41.4707353+01:00" Start_utc="2026-03-05T08:15:41.4707353Z"
 Result="Failed" SN="SN-0042" PN="PCB-7" Rev="B" MachineName="BENCH-4" Location="Oslo" Purpose="Production" ProductName="">
<UUT UserLoginName="anna" BatchSN="LOT 7/2" TestSocketIndex="-1" ExecutionTime="12.5" FixtureId="F-9" ErrorCode="0"><Comment>After rework</Comment></UUT>
<Process Code="50" Name="PCBA test" />
<MiscInfo Description="Humidity" Numeric="41.5" /><MiscInfo Description="Firmware">2.1 &lt;beta&gt;</MiscInfo>
<ReportUnitHierarchy PartType="RF" PN="RF-1" SN="RF-0007" Rev="A" Position="0" />
${XML_STEP(
  'MainSequence Callback',
  'SequenceCall',
  'Failed',
  `<SequenceCall Name="MainSequence" Version="1.4.0" Filename="fct.seq" Filepath="fct.seq" />
${XML_STEP(
  'Supply',
  'SequenceCall',
  'Failed',
  XML_STEP(
    '5 V rail',
    'ET_NLT',
    'Passed',
    XML_NUMBER('NumericValue="5.01" CompOperator="GELE" LowLimit="4.75" HighLimit="5.25"'),
  ) +
    XML_STEP(
      'Ripple',
      'ET_NLT',
      'Failed',
      XML_NUMBER('NumericValue="0.2" CompOperator="LT" LowLimit="0.1"', 'Failed'),
    ) +
    XML_STEP(
      'Rails',
      'ET_MNLT',
      'Passed',
      XML_NUMBER('Name="3V3" NumericValue="3.3" CompOperator="LOG"') +
        XML_NUMBER('Name="12V" NumericValue="12" CompOperator="EQ" LowLimit="12"') +
        XML_NUMBER('Name="Outside" NumericValue="9" CompOperator="LTGT" LowLimit="1" HighLimit="5"'),
    ),
)}${XML_STEP('Door closed', 'ET_PFT', 'Passed', '<PassFail Status="Passed" />')}${XML_STEP(
    'Version',
    'ET_SVT',
    'Passed',
    '<ReportText>Read twice</ReportText><StringValue CompOperator="IGNORECASE" StringLimit="V2.1" StringValue="v2.1" Status="Passed" />',
  )}${XML_STEP('Optional', 'Action', 'Skipped')}${XML_STEP('Log in', 'MessagePopup', 'Done', '<MessagePopup Button="1" Response="yes" />')}${XML_STEP(
    'Handler',
    'CallExecutable',
    'Error',
    '<Callexe ExitCode="3" />',
    ' StepErrorCode="-17" StepErrorMessage="No part"',
  )}${XML_STEP(
    'Sweep',
    'WATS_XYGMNLT',
    'Passed',
    '<Chart Label="Gain" XLabel="f" XUnit="Hz" YLabel="G" YUnit="dB"><Series Name="Ch 1"><ydata>0;-1;-3</ydata><xdata>1;2;3</xdata></Series></Chart>',
  )}${XML_STEP('Retry', 'ET_NLT', 'Passed', `<Loop num="2" passed="1" failed="1" ending_index="2" />${XML_NUMBER('NumericValue="2" CompOperator="GE" LowLimit="1"')}`)}${XML_STEP(
    'Retry',
    'ET_NLT',
    'Passed',
    `<Loop index="0" />${XML_NUMBER('NumericValue="2" CompOperator="GE" LowLimit="1"')}`,
  )}${XML_STEP('Photo', 'Action', 'Done', '<Attachment Name="board.png" ContentType="image/png">aGVs\nbG8=</Attachment>')}`,
)}</Report></Reports>`

async function readAll(format: LineFormat, text: string): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  for await (const run of readLineFile(format, Buffer.from(text))) runs.push(run)
  return runs
}

const times = (from: string, to = from) => ({
  started_at: `2026-03-05T08:15:${from}Z`,
  ended_at: `2026-03-05T08:15:${to}Z`,
})

describe('WATS', () => {
  it('reads every field of its JSON format', async () => {
    const [first, ...others] = await readAll('WATS', JSON.stringify(REPORT))
    expect(others).toEqual([])
    const { run, metadata, attachments, ...rest } = first as ImportedRun
    expect(CreateV2RunRequestSchema.safeParse({ ...run, procedure_id: 'X' }).error).toBeUndefined()
    const { phases, logs, ...facts } = run
    expect(facts).toEqual({
      outcome: 'FAIL',
      ...times('41.470735', '53.970735'),
      serial_number: 'SN-0042',
      part_number: 'PCB-7',
      revision_number: 'B',
      batch_number: 'LOT-7-2',
      procedure_version: '1.4.0',
      docstring: 'After rework',
    })
    expect(rest).toEqual({
      procedureId: undefined,
      procedureName: 'PCBA test',
      operator: 'anna',
      declaredAttachments: [],
      warnings: ['batch is "LOT 7/2", and was stored as "LOT-7-2"'],
      moreWarnings: 0,
    })
    expect(metadata).toEqual([
      ['importer', 'WATS'],
      ['station', 'BENCH-4'],
      ['operator', 'anna'],
      ['batch', 'LOT 7/2'],
      ['report_id', REPORT.id],
      ['process_code', '50'],
      ['location', 'Oslo'],
      ['purpose', 'Production'],
      ['sequence', 'fct.seq'],
      ['fixture', 'F-9'],
      ['sub_unit_1', 'RF, RF-0007, RF-1 A'],
      ['Humidity', 41.5],
      ['Firmware', '2.1 <beta>'],
    ])
    const retry = { name: 'Retry', outcome: 'PASS', measured_value: 2, units: 'V', lower_limit: 1 }
    expect(phases).toEqual([
      {
        name: 'Supply › 5 V rail',
        outcome: 'PASS',
        ...times('41.470735', '41.970735'),
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
        name: 'Supply › Ripple',
        outcome: 'FAIL',
        ...times('41.970735', '42.470735'),
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
        ...times('42.470735', '42.970735'),
        measurements: [
          { name: '3V3', outcome: 'PASS', measured_value: 3.3, units: 'V' },
          {
            name: '12V',
            outcome: 'PASS',
            measured_value: 12,
            units: 'V',
            validators: [{ operator: '==', expected_value: 12 }],
          },
          {
            name: 'Outside',
            outcome: 'PASS',
            measured_value: 9,
            units: 'V',
            validators: [{ expression: 'x < 1 or x > 5' }],
          },
        ],
      },
      {
        name: 'Door closed',
        outcome: 'PASS',
        ...times('41.970735', '42.470735'),
        measurements: [{ name: 'Door closed', outcome: 'PASS', measured_value: true }],
      },
      {
        name: 'Version',
        outcome: 'PASS',
        ...times('42.470735', '42.970735'),
        measurements: [
          {
            name: 'Version',
            outcome: 'PASS',
            measured_value: 'v2.1',
            validators: [{ operator: '==', expected_value: 'V2.1', expression: 'x == "V2.1", in any case' }],
          },
        ],
      },
      { name: 'Optional', outcome: 'SKIP', ...times('42.970735', '43.470735') },
      { name: 'Log in', outcome: 'PASS', ...times('43.470735', '43.970735') },
      {
        name: 'Handler',
        outcome: 'ERROR',
        ...times('43.970735', '44.470735'),
        errors: [{ message: 'Error -17: No part' }],
      },
      {
        name: 'Sweep',
        outcome: 'PASS',
        ...times('44.470735', '44.970735'),
        measurements: [
          {
            name: 'Gain › Ch 1',
            outcome: 'UNSET',
            x_axis: { data: [1, 2, 3], name: 'f', units: 'Hz' },
            y_axis: [{ data: [0, -1, -3], name: 'G', units: 'dB' }],
          },
        ],
      },
      { name: 'Retry (loop)', outcome: 'PASS', ...times('44.970735', '45.470735'), measurements: [retry] },
      { name: 'Retry', outcome: 'PASS', ...times('45.470735', '45.970735'), measurements: [retry] },
      { name: 'Photo', outcome: 'PASS', ...times('45.970735', '46.470735') },
    ])
    expect(logs?.map(({ source_file: name, message }) => `${name}: ${message}`)).toEqual([
      'Version: Read twice',
      'Log in: Button 1: yes',
      'Handler: Exit code 3',
      'Retry (loop): Loop: repetitions 2, passed 1, failed 1, last index 2',
    ])
    expect(attachments).toMatchObject([{ name: 'Photo/board.png', contentType: 'image/png' }])
    expect(Buffer.from(attachments[0]?.bytes ?? []).toString()).toBe('hello')
  })

  it('reads the same from its XML format', async () => {
    const [[json], [xml]] = await Promise.all([readAll('WATS', JSON.stringify(REPORT)), readAll('WSXF', XML)])
    expect(xml?.run).toEqual(json?.run)
    expect(xml?.attachments).toEqual(json?.attachments)
    expect(xml?.metadata.slice(1)).toEqual(json?.metadata.slice(1))
  })

  it('reads a list of reports, and times without a zone in the zone that is given', async () => {
    const local = { ...REPORT, start: '2026-07-05T09:15:41', startUTC: null }
    const runs: ImportedRun[] = []
    const bytes = Buffer.from(JSON.stringify([REPORT, local]))
    for await (const run of readLineFile('WATS', bytes, { timeZone: 'America/New_York' })) runs.push(run)
    expect(runs.map(({ run }) => run.started_at)).toEqual([
      '2026-03-05T08:15:41.470735Z',
      '2026-07-05T13:15:41.000Z',
    ])
    const [, inUtc] = await readAll('WATS', JSON.stringify([REPORT, local]))
    expect(inUtc?.warnings).toContain('The file has times without a zone, which were read as UTC')
  })

  it.each(['2026-07-05T13:15:41Z', '2026-07-05T13:15:41'])(
    'takes the start from startUTC, and from both the offset of the steps: %s',
    async (startUTC) => {
      const root = step('Supply', 'Action', 'P', { start: '2026-07-05T09:15:42' })
      const report = { ...REPORT, start: '2026-07-05T09:15:41', startUTC, root }
      const [read] = await readAll('WATS', JSON.stringify(report))
      expect(read?.run.started_at).toBe('2026-07-05T13:15:41.000Z')
      expect(read?.run.phases?.map((phase) => phase.started_at)).toEqual(['2026-07-05T13:15:42.000Z'])
      expect(read?.warnings.join()).not.toContain('without a zone')
    },
  )

  it.each([
    ['2026-07-05T09:15:41+02:00', '1970-01-01T00:00:00Z', '2026-07-05T07:15:41.000Z'],
    ['2026-07-05T09:15:41+02:00', '0001-01-01T00:00:00', '2026-07-05T07:15:41.000Z'],
    ['2026-07-05T09:15:41', '0001-01-01T00:00:00', '2026-07-05T09:15:41.000Z'],
    ['2026-07-05T09:15:41+02:00', '2026-07-05T07:15:41.3Z', '2026-07-05T07:15:41.000Z'],
  ])(
    'takes the start %s where startUTC is the same or not filled in: %s',
    async (start, startUTC, startedAt) => {
      const [read] = await readAll('WATS', JSON.stringify({ ...REPORT, start, startUTC }))
      expect(read?.run.started_at).toBe(startedAt)
      expect(read?.warnings.join()).not.toContain('startUTC')
    },
  )

  it.each([
    ['2026-07-05T09:15:41', '2026-07-07T09:15:41Z', 'is another time'],
    ['2026-07-05T09:15:41+02:00', '2026-07-05T09:15:41Z', 'is another time'],
    ['2026-07-05T09:15:41+02:00', 'yesterday', 'is no time'],
  ])('says that it does not take startUTC beside %s: %s', async (start, startUTC, what) => {
    const [read] = await readAll('WATS', JSON.stringify({ ...REPORT, start, startUTC }))
    expect(read?.warnings).toContain(
      `startUTC is "${startUTC}", which ${what}: the start is "${start}", as start says`,
    )
  })

  it('keeps all values of metadata with the same name', async () => {
    const miscInfos = ['x', 'x (2)', 'x'].map((description, index) => ({ description, text: `${index}` }))
    const [read] = await readAll('WATS', JSON.stringify({ ...REPORT, miscInfos }))
    expect(read?.metadata.filter(([name]) => name.startsWith('x'))).toEqual([
      ['x', '0'],
      ['x (2)', '1'],
      ['x (3)', '2'],
    ])
  })

  const withSteps = (...steps: object[]) =>
    JSON.stringify({ ...REPORT, root: step('Main', 'SequenceCall', 'F', { steps }) })
  const inXml = (steps: string) =>
    XML.replace(/<Step .*<\/Step>/s, XML_STEP('Main', 'SequenceCall', 'Failed', steps))

  it('logs the other texts of a step, and names each omitted member once', async () => {
    const property = (name: string, value: string) => ({ name, type: 'String', flags: 8192, value })
    const json = withSteps(
      step('Scan', 'SequenceCall', 'F', {
        group: 'S',
        tsGuid: 'ID#:26N9',
        interactiveExeNum: 2,
        totTimeFormat: '%.3f',
        moduleTime: 0.25,
        causedSeqFailure: true,
        causedUUTFailure: true,
        seqCall: { name: 'Scan', path: 'scan.seq', version: '1.1' },
        additionalResults: [
          {
            name: 'Scanner',
            props: [
              property('Port', 'COM3'),
              {
                name: 'Reads',
                type: 'Array',
                array: { indexes: [{ text: '[0]', value: property('Code', 'A') }] },
              },
            ],
          },
        ],
        attachment: { name: 'scan.png', contentType: 'image/png', data: '' },
      }),
      step('Label', 'Action', 'D', { group: 'C', tsGuid: 'ID#:26NA' }),
    )
    const scan = XML_STEP(
      'Scan',
      'SequenceCall',
      'Failed',
      `<SequenceCall Name="Scan" Filename="scan.seq" Version="1.1" MeasIndex="0" />
<AdditionalResults Name="Scanner"><Prop Name="Port" Type="String" Flags="0x0"><Value>COM3</Value></Prop>
<Prop Name="Reads" Type="Array"><Value ID="[0]"><Prop Name="Code" Type="String"><Value>A</Value></Prop></Value></Prop></AdditionalResults>
<Attachment Name="scan.png" ContentType="image/png" Size="10" /><PropertyLoader Read="1" />`,
      ' TSGuid="ID#:26N9" InteractiveExeNum="2" module_time="0.25" Idx="1" StepCausedSequenceFailure="true" StepCausedUUTFailure="1"',
    ).replace('"Main"', '"Setup"')
    const label = XML_STEP('Label', 'Action', 'Done', '', ' TSGuid="ID#:26NA"').replace('"Main"', '"Cleanup"')
    for (const [format, text, unread] of [
      ['WATS', json, 'tsGuid, moduleTime'],
      ['WSXF', inXml(scan + label), '@TSGuid, @module_time, <PropertyLoader>'],
    ] as const) {
      const [read] = await readAll(format, text)
      expect(read?.run.logs?.map(({ source_file: name, message }) => `${name}: ${message}`)).toEqual([
        'Scan: Sequence: Scan, scan.seq, 1.1',
        'Scan: Group: Setup',
        'Scan: Interactive execution 2',
        'Scan: Caused the failure of the unit',
        'Scan: Caused the failure of its sequence',
        'Scan: Scanner.Port = COM3\nScanner.Reads.[0].Code = A',
        'Label: Group: Cleanup',
      ])
      const warnings = read?.warnings.join('; ')
      expect(warnings).toContain(`has members that were not read: ${unread};`)
      expect(warnings).toContain('attachment.scan.png has no content in the report, and was left out')
    }
  })

  it('names parts of a report that it leaves out, and logs the texts of its root', async () => {
    const root = { ...REPORT.root, reportText: 'Chamber at 40 °C' }
    const json = JSON.stringify({ ...REPORT, assets: [{ assetSN: 'DMM-1' }], format: 'x', root })
    const [read] = await readAll('WATS', json)
    expect(read?.warnings).toContain('The report has members that were not read: assets, format')
    expect(read?.run.logs?.at(-1)).toMatchObject({ source_file: '(execution)', message: 'Chamber at 40 °C' })
  })

  it('reads a member with a long name of colons at once', { timeout: 2_000 }, async () => {
    const name = `${':'.repeat(200_000)}\n`
    const [read] = await readAll('WATS', JSON.stringify({ ...REPORT, [name]: 1 }))
    expect(read?.run.serial_number).toBe('SN-0042')
  })

  it.each([
    ['- LOT 7/2 -', 'LOT-7-2'],
    [`a${'-'.repeat(160_000)}a`, `a${'-'.repeat(160_000)}a`],
    [' / ', undefined],
    ['--', undefined],
  ])('names a batch without hyphens at its ends', { timeout: 2_000 }, async (batchSN, stored) => {
    const [read] = await readAll('WATS', JSON.stringify({ ...REPORT, uut: { batchSN } }))
    expect(read?.run.batch_number).toBe(stored)
  })

  it('reads a report without steps as a run with its outcome', async () => {
    const { root: _root, ...report } = REPORT
    const files: [LineFormat, string][] = [
      ['WATS', JSON.stringify(report)],
      ['WATS', JSON.stringify({ ...report, root: null })],
      ['WSXF', XML.replace(/<Step .*<\/Step>/s, '')],
    ]
    for (const [format, text] of files) {
      expect(findLineFormat(Buffer.from(text))).toBe(format)
      const [read] = await readAll(format, text)
      expect(read?.run).toMatchObject({ outcome: 'FAIL', serial_number: 'SN-0042', phases: [] })
    }
  })

  it('reads every step of an XML report with several at its top', async () => {
    const two = XML_STEP('One', 'Action', 'Passed') + XML_STEP('Two', 'Action', 'Failed')
    const [read] = await readAll('WSXF', XML.replace(/<Step .*<\/Step>/s, two))
    expect(read?.run.phases?.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['One', 'PASS'],
      ['Two', 'FAIL'],
    ])
  })

  const good = (status: string, value: number) => numeric('GE', status, value, { lowLimit: 1 })
  const listValues = (read: ImportedRun | undefined) =>
    read?.run.phases
      ?.flatMap(({ measurements }) => measurements ?? [])
      .map(({ name, outcome, measured_value: value }) => [name, outcome, value])

  // WATS's example of WSXF has such steps: their only value says Passed.
  it('fails the only value of a failed step if it is outside its limits, and says so', async () => {
    const failed = withSteps(
      step('Rail', 'ET_NLT', 'F', { numericMeas: [numeric('EQ', 'P', 500, { lowLimit: 501 })] }),
      step('Version', 'ET_SVT', 'F', {
        stringMeas: [{ compOp: 'EQ', name: null, status: 'P', value: 'a', limit: 'b' }],
      }),
      step('Logged', 'ET_NLT', 'F', { numericMeas: [numeric('LOG', 'P', 1, {})] }),
      step('Two', 'ET_MNLT', 'F', {
        numericMeas: [
          { ...good('P', 2), name: 'Good' },
          { ...good('F', 0), name: 'Bad' },
        ],
      }),
    )
    const [read] = await readAll('WATS', failed)
    expect(listValues(read)).toEqual([
      ['Rail', 'FAIL', 500],
      ['Version', 'FAIL', 'a'],
      ['Logged', 'PASS', 1],
      ['Good', 'PASS', 2],
      ['Bad', 'FAIL', 0],
    ])
    expect(read?.warnings).toContain(
      'root.steps.0.numericMeas.0.status says passed outside its limits in step "Rail", which failed, and was stored as failed',
    )
  })

  it('takes the verdict of a value from the file if limits, an error or an inner step explain the failure', async () => {
    const failed = withSteps(
      step('Within', 'ET_NLT', 'F', { numericMeas: [good('P', 2)] }),
      step('Error', 'ET_NLT', 'F', { errorCode: 7, numericMeas: [good('P', 0)] }),
      step('Group', 'ET_NLT', 'F', {
        numericMeas: [good('P', 0)],
        steps: [step('Inner', 'Action', 'F')],
      }),
      step('Door', 'ET_PFT', 'F', { booleanMeas: [{ name: null, status: 'P' }] }),
    )
    const [read] = await readAll('WATS', failed)
    expect(listValues(read)).toEqual([
      ['Within', 'PASS', 2],
      ['Error', 'PASS', 0],
      ['Group', 'PASS', 0],
      ['Door', 'PASS', true],
    ])
    expect(read?.warnings.slice(0, -1)).toEqual([
      'root.steps.3.booleanMeas.0.status says passed in step "Door", which failed for no other reason, and was stored as it is',
    ])
  })

  it('passes a value without a verdict within its limits if another value explains the failure', async () => {
    const mixed = step('T', 'ET_MPFT', 'F', {
      booleanMeas: [{ name: 'Ok', status: 'F' }],
      numericMeas: [
        { name: 'V', status: null, compOp: 'GELE', lowLimit: 1, highLimit: 9, unit: null, value: 5 },
      ],
    })
    const [read] = await readAll('WATS', withSteps(mixed))
    expect(listValues(read)).toEqual([
      ['V', 'PASS', 5],
      ['Ok', 'FAIL', false],
    ])
  })

  it('judges the values in the summary of a loop by their verdicts and limits', async () => {
    const loop = { loop: { idx: null, num: 2 } }
    const summary = (status: string, value: object) =>
      step('Retry', 'ET_NLT', status, { ...loop, numericMeas: [value] })
    const steps = [
      summary('F', good('P', 0)),
      summary('F', { ...good('P', 2), status: null }),
      summary('P', { ...good('P', 0), status: null }),
      step('Door', 'ET_PFT', 'F', { ...loop, booleanMeas: [{ name: null, status: 'P' }] }),
    ]
    const [read] = await readAll('WATS', withSteps(...steps))
    expect(listValues(read)).toEqual([
      ['Retry', 'PASS', 0],
      ['Retry', 'PASS', 2],
      ['Retry', 'FAIL', 0],
      ['Door', 'PASS', true],
    ])
    expect(read?.warnings).toHaveLength(1)
  })

  it('names members that it does not read before the first twenty warnings, and counts the others', async () => {
    const rail = (index: number) => step(`R${index}`, 'ET_NLT', 'F', { numericMeas: [good('P', 0)] })
    const [read] = await readAll(
      'WATS',
      JSON.stringify({
        ...REPORT,
        assets: [{ assetSN: 'DMM-1' }],
        root: step('Main', 'SequenceCall', 'F', {
          steps: Array.from({ length: 25 }, (_, index) => rail(index)),
        }),
      }),
    )
    expect(read?.warnings.slice(0, 2)).toEqual([
      'The report has members that were not read: assets',
      'root.steps.0.numericMeas.0.status says passed outside its limits in step "R0", which failed, and was stored as failed',
    ])
    expect([read?.warnings.length, read?.moreWarnings]).toEqual([21, 6])
  })

  it('keeps a value that failed in a step that was skipped', async () => {
    const skipped = withSteps(
      step('Rail', 'ET_NLT', 'S', { numericMeas: [good('F', 0)] }),
      step('Door', 'ET_PFT', 'S', { booleanMeas: [{ name: null, status: 'F' }] }),
    )
    const [read] = await readAll('WATS', skipped)
    expect(listValues(read)).toEqual([
      ['Rail', 'FAIL', 0],
      ['Door', 'FAIL', false],
    ])
  })

  it('logs additional results of any form', async () => {
    const additionalResults = [
      'plain',
      7,
      null,
      { name: 'Leak', type: 'Number', value: 0.5, comment: 'after rework', unit: 'mbar' },
      { type: 'Limits', flags: [1, 2], more: { deep: true } },
      { name: { of: 'an object' }, value: { a: 1 } },
      { text: 'Fixture replaced' },
      { operators: [{ name: 'Ann' }, { name: 'Bob' }] },
      { name: 'Camera', type: 'Basler' },
    ]
    const [read] = await readAll('WATS', withSteps(step('Scan', 'Action', 'D', { additionalResults })))
    expect(read?.run.logs?.map(({ message }) => message)).toEqual([
      'value = plain',
      'value = 7',
      'Leak = 0.5\nLeak.comment = after rework\nLeak.unit = mbar',
      'type = Limits\nflags = 1\nflags = 2\nmore.deep = true',
      'name.of = an object\na = 1',
      'text = Fixture replaced',
      'operators.name = Ann\noperators.name = Bob',
      'name = Camera\ntype = Basler',
    ])
  })

  it('logs every element and attribute of additional results in XML', async () => {
    const results = `<AdditionalResults xmlns:a="urn:a" a:b="c"><Leak Value="0.5">mbar<At>rework</At></Leak>
<Sensor Id="7" Size="10" Type="K">0.5</Sensor><Camera Name="Basler"/><Flow Name="In"><Value Unit="l">3</Value></Flow>
<Prop Name="Port" Type="String" Flags="0x0" LBound="[0]" Comment="USB"><Value>COM3</Value></Prop></AdditionalResults>`
    const [xml] = await readAll('WSXF', inXml(XML_STEP('Scan', 'Action', 'Done', results)))
    expect(xml?.run.logs?.at(-1)?.message.replaceAll('AdditionalResults.', '').split('\n')).toEqual([
      'a:b = c',
      'Leak = mbar',
      'Leak.Value = 0.5',
      'Leak.At = rework',
      'Sensor = 0.5',
      'Sensor.Id = 7',
      'Sensor.Size = 10',
      'Sensor.Type = K',
      'Camera.Name = Basler',
      'In.Value = 3',
      'In.Value.Unit = l',
      'Port = COM3',
      'Port.Comment = USB',
    ])
  })

  it.each([
    ['C:\\Tests\\FCT.seq', 'fct.seq', 'C:\\Tests\\FCT.seq', false],
    ['C:\\Tests\\', 'fct.seq', 'C:\\Tests\\fct.seq', false],
    ['/tests/', 'fct.seq', '/tests/fct.seq', false],
    ['', 'fct.seq', 'fct.seq', false],
    ['C:\\Tests\\MyFCT.seq', 'FCT.seq', 'C:\\Tests\\MyFCT.seq', true],
  ])(
    'names the sequence of XML with the path %s and the file %s',
    async (folder, file, sequence, isUnread) => {
      const text = XML.replace(
        'Filename="fct.seq" Filepath="fct.seq"',
        () => `Filename="${file}" Filepath="${folder}"`,
      )
      const [read] = await readAll('WSXF', text)
      expect(read?.metadata).toContainEqual(['sequence', sequence])
      expect(read?.warnings.join().includes('not read: seqCall.@Filename')).toBe(isUnread)
    },
  )

  it('keeps the three hundred properties of one additional result', async () => {
    const props = Array.from({ length: 300 }, (_, index) => ({ name: `p${index}`, value: '1' }))
    const more = { additionalResults: { name: 'Scanner', props } }
    const [read] = await readAll('WATS', withSteps(step('Scan', 'Action', 'D', more)))
    expect(read?.run.logs?.[0]?.message.split('\n')).toHaveLength(300)
    expect(read?.warnings).toHaveLength(1)
  })

  it(
    'logs additional results as far as an entry of the log is long, and counts the others',
    { timeout: 30_000 },
    async () => {
      const props = Array.from({ length: 100_000 }, () => ({ name: 'n', value: '1' }))
      const nested = Array.from({ length: 15 }).reduce<object>(
        (inner) => ({ name: 'n'.repeat(100), props: [inner] }),
        { name: 'n', props },
      )
      const tooDeep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`
      const more = { additionalResults: [{ name: 'a', props }, nested, 'DEEP'] }
      const [read] = await readAll(
        'WATS',
        withSteps(step('Scan', 'Action', 'D', more)).replace('"DEEP"', tooDeep),
      )
      expect(read?.run.logs?.map(({ message }) => message.split('\n').length)).toEqual([1_250, 7])
      expect(read?.warnings.slice(0, 3)).toEqual(
        [98_750, 99_993, 1].map(
          (count, index) =>
            `root.steps.0.additionalResults.${index} of step "Scan" has more values than an entry of the log takes, and ${count} were left out`,
        ),
      )
    },
  )

  it('names the parts of XML that it does not read, and reads every report text', async () => {
    const inner = `<ReportText>One<b>bold</b></ReportText><ReportText>Two</ReportText>
<MessagePopup Button="1" Response="yes" /><MessagePopup Button="2" Response="no" />
${XML_NUMBER('NumericValue="1" CompOperator="LOG" Channel="7"').replace('/>', '><Raw>1</Raw>noise</NumericLimit>')}
<Chart Label="Gain" Scale="log"><Series Name="c" Colour="red"><ydata>1;2</ydata><zdata>3</zdata></Series><Legend Text="x" /></Chart>`
    const file = inXml(XML_STEP('Scan', 'Action', 'Done', inner))
      .replace('<MiscInfo ', '<MiscInfo Unit="%" ')
      .replace('<UUT ', '<UUT Shift="night" ')
    const [read] = await readAll('WSXF', file)
    expect(read?.run.logs?.map(({ message }) => message)).toEqual(['One\nTwo', 'Button 1: yes'])
    const warning = read?.warnings.find((text) => text.includes('not read'))
    expect(warning?.split('not read: ')[1]?.split(', ').sort()).toEqual(
      [
        'uut.@Shift',
        'miscInfos.@Unit',
        '<ReportText><b>',
        '<MessagePopup>',
        'numericMeas.@Channel',
        'numericMeas.<Raw>',
        'numericMeas.#text',
        'chart.@Scale',
        'chart.<Legend>',
        'chart.series.@Colour',
        'chart.series.<zdata>',
      ].sort(),
    )
  })

  it('does not confuse an attribute or element of XML with a member of JSON of the same name', async () => {
    const file = XML.replace(' Result="Failed"', ' Result="Failed" result="Passed" root="x"')
      .replace(' Status="Failed" total_time', ' Status="Failed" status="Passed" total_time')
      .replaceAll('Status="Failed" MeasIndex', 'Status="Failed" status="Passed" lowLimit="1" MeasIndex')
      .replace('<Process ', '<result>Passed</result><Process ')
    const [[read], [plain]] = await Promise.all([readAll('WSXF', file), readAll('WSXF', XML)])
    expect(read?.run).toEqual(plain?.run)
    expect(read?.warnings[0]).toBe(
      'line 3 has members that were not read: @result, @root, <result>, @status, numericMeas.@status, numericMeas.@lowLimit',
    )
    await expect(readAll('WSXF', file.replace('Result="Failed" ', ''))).rejects.toThrow('result is missing')
  })

  it('keeps a thousand entries of metadata, and says how many there were', async () => {
    const subUnits = Array.from({ length: 1_200 }, (_, index) => ({ sn: `RF-${index}` }))
    const [read] = await readAll('WATS', JSON.stringify({ ...REPORT, subUnits }))
    expect(read?.metadata).toHaveLength(1_000)
    expect(read?.warnings).toContain(
      'The report has 1212 entries of metadata, sub-units among them; the first 1000 were kept',
    )
  })

  it('keeps no value and no verdict of skipped steps', async () => {
    const zero = numeric('GELE', 'S', 0, { lowLimit: 1, highLimit: 2 })
    const skipped = withSteps(
      step('Rail', 'ET_NLT', 'S', { numericMeas: [{ ...zero, status: 'P' }] }),
      step('Rails', 'ET_MNLT', 'P', {
        numericMeas: [
          { ...zero, name: 'a' },
          { ...numeric('GE', 'P', 2, { lowLimit: 1 }), name: 'b' },
        ],
        booleanMeas: [{ name: 'c', status: 'S' }],
      }),
    )
    const [read] = await readAll('WATS', skipped)
    const all = read?.run.phases?.flatMap(({ measurements }) => measurements ?? [])
    expect(all?.map(({ name, outcome, measured_value: value }) => [name, outcome, value])).toEqual([
      ['Rail', 'UNSET', undefined],
      ['a', 'UNSET', undefined],
      ['b', 'PASS', 2],
      ['c', 'UNSET', undefined],
    ])
  })

  it('keeps the points of a curve together, and says which it leaves out', async () => {
    const curve = (xdata: string | null, ydata: string) => ({ name: 'c', xdata, ydata })
    const chart = (...series: object[]) => ({ chart: { label: 'Gain', series } })
    const drawn = withSteps(
      step(
        'Sweep',
        'Action',
        'P',
        chart(curve('1;2;3', '0;NaN;-3'), curve('1,5;2', '3;4;'), curve(null, '7;8')),
      ),
    )
    const [read] = await readAll('WATS', drawn)
    const axes = read?.run.phases?.[0]?.measurements?.map(({ x_axis: x, y_axis: y }) => [
      x?.data,
      y?.[0]?.data,
    ])
    expect(axes).toEqual([
      [
        [1, 3],
        [0, -3],
      ],
      [
        [1.5, 2],
        [3, 4],
      ],
      [undefined, [7, 8]],
    ])
    expect(read?.warnings).toContain(
      'root.steps.0.chart.0.series.0 has points without a finite x and y, and 1 were left out',
    )
  })

  it('leaves out a curve without y values, and names the curve and its chart', async () => {
    const charts = [{ series: [{ ydata: '1' }] }, { series: [{ xdata: '1;2' }, { name: 'c' }] }]
    const [read] = await readAll('WATS', withSteps(step('Sweep', 'Action', 'P', { chart: charts })))
    expect(read?.run.phases?.[0]?.measurements).toHaveLength(1)
    expect(read?.warnings.slice(0, 2)).toEqual([
      'root.steps.0.chart.1.series.0 has no point with a finite x and y (xdata, ydata), and was left out',
      'root.steps.0.chart.1.series.1 has no point with a finite x and y (xdata, ydata), and was left out',
    ])
  })

  it('reads an infinite limit as none, and a step whose status is unknown as an error', async () => {
    const text = withSteps(
      step('Rail', 'ET_NLT', 'P', {
        numericMeas: [numeric('GELE', 'P', 1, { lowLimit: '-INF', highLimit: 2 })],
      }),
      step('Odd', 'Action', 'U'),
    )
    const [read] = await readAll('WATS', text)
    expect(CreateV2RunRequestSchema.safeParse({ ...read?.run, procedure_id: 'X' }).error).toBeUndefined()
    const [rail, odd] = read?.run.phases ?? []
    expect(rail?.measurements).toEqual([
      { name: 'Rail', outcome: 'PASS', measured_value: 1, units: 'V', upper_limit: 2 },
    ])
    expect(odd?.outcome).toBe('ERROR')
  })

  const changed = (change: object) => JSON.stringify({ ...REPORT, ...change })
  const deep = `${'{"name":"a","status":"P","steps":['.repeat(150)}${']}'.repeat(150)}`

  it.each([
    ['half of it', JSON.stringify(REPORT).slice(0, 900), 'it is not valid JSON: it breaks off or is wrong'],
    ['a wrong verdict', changed({ result: 'Fine' }), 'result is "Fine": it must be Passed'],
    ['no serial number', changed({ sn: null }), 'has no serial number'],
    [
      'no serial number in a list',
      JSON.stringify([REPORT, { ...REPORT, sn: null }]),
      'report 1 has no serial number',
    ],
    ['no start', changed({ start: null, startUTC: null }), 'start is missing'],
    ['a wrong start', changed({ start: 'today' }), 'start is "today"'],
    ['a wrong start in UTC', changed({ start: null, startUTC: 'today' }), 'startUTC is "today"'],
    ['a repair', changed({ type: 'R' }), 'type is "R": only test reports'],
    [
      'a wrong value',
      JSON.stringify(REPORT).replace('5.01', '"high"'),
      'root.steps.0.steps.0.numericMeas.0.value is "high"',
    ],
    [
      'a wrong file',
      JSON.stringify(REPORT).replace('aGVsbG8=', 'a§'),
      'root.steps.9.attachment.board.png.data is not base64',
    ],
    ['steps without end', changed({ root: 'DEEP' }).replace('"DEEP"', deep), 'is nested over 100 deep'],
    [
      'an endless step',
      withSteps(step('a', 'Action', 'P', { totTime: 1e300 })),
      'which is no time up to the year 2255',
    ],
    [
      'names that would fill the memory',
      withSteps(
        step('n'.repeat(30_000), 'SequenceCall', 'P', {
          steps: Array.from({ length: 2_000 }, () => step('a', 'Action', 'P')),
        }),
      ),
      /^n{60}….name brings the names and units of the report to more than 50000000 characters: shorten/,
    ],
    ['millions of values', `[${'1,'.repeat(2_000_001)}1]`, 'more than 2000000 values'],
  ])('refuses JSON with %s', async (_what, text, message) => {
    await expect(readAll('WATS', text)).rejects.toThrow(message)
  })

  it.each([
    ['half of it', XML.slice(0, 2000), 'it is not well-formed XML at line'],
    ['another root', '<a/>', 'its root is <a>, not <Reports>'],
    ['a wrong value', XML.replace('"5.01"', '"high"'), /line \d+\.value is "high": must be a number/],
    ['a wrong verdict', XML.replace('Result="Failed"', 'Result="Fine"'), 'line 3.result is "Fine"'],
    ['entities', `<!DOCTYPE a [<!ENTITY b "c">]>${XML.slice(38)}`, 'it has a DOCTYPE'],
    ['many references', `<Reports>${'&amp;'.repeat(300_001)}</Reports>`, 'more than 300000 elements'],
    ['a million elements', `<Reports>${'<a/>'.repeat(1_000_001)}</Reports>`, 'more than 300000 elements'],
  ])('refuses XML with %s', async (_what, text, message) => {
    await expect(readAll('WSXF', text)).rejects.toThrow(message)
  })
})
