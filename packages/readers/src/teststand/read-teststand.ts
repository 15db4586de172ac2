import type { Pace } from '@runledger/protocol'
import { decodeText } from '../decode-text'
import { fileOf, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { readRunOutcome } from '../unit/outcomes'
import type { UnitReport } from '../unit/report'
import { parseXml, type XmlElement } from '../xml'
import { childrenOf, placeOf } from '../xml-tree'
import { listErrors, mapStep } from './map-step'
import { prop, propNumber, propText } from './props'

/** Reads an XML report of TestStand, one unit after another. @throws ReadError */
export async function* readTestStand(
  bytes: Uint8Array,
  times: TimeReader,
  pace?: Pace,
): AsyncGenerator<UnitReport> {
  const root = await parseXml(decodeText(bytes), pace)
  const reports = root.name === 'Reports' ? childrenOf(root, 'Report') : [root]
  if (!['Reports', 'Report', 'TSReport'].includes(root.name))
    throw fileOf(`its root is <${root.name}>, not <Reports>: it is not an XML report of TestStand`)
  // A batch's report lists its units, whose own reports stand beside it.
  for (const report of reports) if (report.attributes['Type'] !== 'Batch') yield mapReport(report, times)
}

function mapReport(report: XmlElement, times: TimeReader): UnitReport {
  const at = placeOf(report)
  const result = report.children.find(
    ({ name, attributes }) => name === 'Prop' && attributes['Type'] === 'TEResult',
  )
  if (result === undefined)
    throw new ReadError([
      {
        path: at,
        message: 'has no result (<Prop Type="TEResult">): it broke off, or is of an older TestStand',
      },
    ])
  const startedAtUs = readStart(report, times)
  const [uut, station] = [prop(report, 'UUT'), prop(report, 'StationInfo')]
  const file = propText(result, 'TS', 'SequenceCall', 'SequenceFile')
  const main = mapStep(withStatus(result, report), {
    startedAtUs,
    startSeconds: propNumber(result, 'TS', 'StartTime'),
  })
  return {
    at,
    format: 'TESTSTAND',
    procedureName: nameSequence(file) ?? propText(result, 'TS', 'SequenceCall', 'Sequence'),
    procedureVersion: propText(result, 'TS', 'SequenceCall', 'SequenceFileVersion'),
    serialNumber: propText(uut, 'SerialNumber'),
    partNumber: propText(uut, 'UUTPartNumber') ?? propText(uut, 'PartNumber'),
    revision: propText(uut, 'UUTPartRevisionNumber'),
    batch: propText(uut, 'LotNumber') ?? propText(uut, 'BatchSerialNumber'),
    station: propText(station, 'StationID'),
    operator: propText(station, 'LoginName'),
    startedAtUs,
    durationUs: main.durationUs,
    outcome: readRunOutcome(propText(result, 'Status') ?? report.attributes['UUTResult'], [...at, 'Status']),
    comment: propText(uut, 'Comment'),
    errors: [...listErrors(result), ...main.texts],
    steps: main.steps,
    leftOut: main.leftOut,
    metadata: [
      ['sequence', file],
      [
        'test_socket',
        propText(uut, 'TestSocketIndex') === '-1' ? undefined : propText(uut, 'TestSocketIndex'),
      ],
      ['operation', propText(uut, 'UUTOperationType')],
      ['fixture', propText(uut, 'UUT_Fixture_ID')],
      ['location', propText(station, 'Location')],
      ['purpose', propText(station, 'Purpose')],
    ],
  }
}

/** The result of the whole test may leave its verdict to the report. */
function withStatus(result: XmlElement, { attributes, line }: XmlElement): XmlElement {
  if (propText(result, 'Status') !== undefined) return result
  const value = { name: 'Value', attributes: {}, children: [], text: attributes['UUTResult'] ?? '', line }
  const status = { name: 'Prop', attributes: { Name: 'Status' }, children: [value], text: '', line }
  return {
    ...result,
    children: [...result.children.filter((one) => one.attributes['Name'] !== 'Status'), status],
  }
}

/** `C:\tests\Final test.seq` is the procedure `Final test`. */
function nameSequence(file: string | undefined): string | undefined {
  return (
    file
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.seq$/i, '') || undefined
  )
}

/** @throws ReadError */
function readStart(report: XmlElement, times: TimeReader): number {
  const info = childrenOf(report, 'ReportInfo').find(({ attributes }) => attributes['key'] === 'Start')
  const us = info === undefined ? readClock(report, times) : times.readUs(info.attributes['value'] ?? '')
  if (us !== undefined) return us
  throw new ReadError([{ path: placeOf(report), message: 'has no start (StartDate and StartTime)' }])
}

function readClock(report: XmlElement, times: TimeReader): number | undefined {
  const [date, time] = [prop(report, 'StartDate'), prop(report, 'StartTime')]
  const [year, month, day] = ['Year', 'Month', 'MonthDay'].map((name) => propNumber(date, name))
  if (year === undefined || month === undefined || day === undefined) return undefined
  const [hours = 0, minutes = 0, seconds = 0, millis = 0] = [
    'Hours',
    'Minutes',
    'Seconds',
    'Milliseconds',
  ].map((name) => propNumber(time, name))
  const localMs = Date.UTC(year, month - 1, day, hours, minutes, seconds, millis)
  return Number.isFinite(localMs) ? times.fromLocalUs(localMs * 1000) : undefined
}
