import type { Pace } from '@runledger/protocol'
import { decodeText } from '../decode-text'
import { fileOf, type FilePath, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { parseXml, type XmlElement } from '../xml'
import { childrenOf, find } from '../xml-tree'
import type { UnitReport } from '../unit/report'
import { mapWatsReport } from './map-report'

/** The XML format says the same as the JSON format, so it is read as that. @throws ReadError */
export async function* readWsxf(
  bytes: Uint8Array,
  times: TimeReader,
  pace?: Pace,
): AsyncGenerator<UnitReport> {
  const root = await parseXml(decodeText(bytes), pace)
  if (root.name !== 'Reports')
    throw fileOf(`its root is <${root.name}>, not <Reports>: it is not WATS's XML format`)
  for (const element of childrenOf(root, 'Report')) {
    const report = toReport(element)
    try {
      yield mapWatsReport(report, [], { format: 'WSXF', times })
    } catch (error) {
      throw error instanceof ReadError ? tellLine(error, report) : error
    }
  }
}

/** A part of a report in the form that JSON has, with the line it is from. */
type Part = { line: number } & Record<string, unknown>

function toReport(element: XmlElement): Part {
  const { attributes: report } = element
  const uut = find(element, 'UUT')
  const process = find(element, 'Process')?.attributes
  return {
    line: element.line,
    type: report['type'],
    id: report['ID'],
    pn: report['PN'],
    sn: report['SN'],
    rev: report['Rev'],
    productName: report['ProductName'],
    processCode: process?.['Code'],
    processName: process?.['Name'],
    result: report['Result'],
    machineName: report['MachineName'],
    location: report['Location'],
    purpose: report['Purpose'],
    start: report['Start'],
    startUTC: report['Start_utc'],
    uut: uut && toUut(uut),
    miscInfos: childrenOf(element, 'MiscInfo').map(({ line, attributes, text }) => ({
      line,
      description: attributes['Description'],
      text,
      numeric: attributes['Numeric'],
    })),
    subUnits: childrenOf(element, 'ReportUnitHierarchy').map(({ line, attributes }) => ({
      line,
      partType: attributes['PartType'],
      pn: attributes['PN'],
      rev: attributes['Rev'],
      sn: attributes['SN'],
    })),
    assets: childrenOf(element, 'Asset'),
    additionalData: childrenOf(element, 'AdditionalData'),
    root: childrenOf(element, 'Step').map(toStep)[0],
  }
}

function toUut(element: XmlElement): Part {
  const { attributes: uut } = element
  return {
    line: element.line,
    execTime: uut['ExecutionTime'],
    testSocketIndex: uut['TestSocketIndex'],
    batchSN: uut['BatchSN'],
    comment: find(element, 'Comment')?.text,
    errorCode: uut['ErrorCode'],
    errorMessage: uut['ErrorMessage'],
    fixtureId: uut['FixtureId'],
    user: uut['UserLoginName'],
  }
}

function toStep(element: XmlElement): Part {
  const { attributes: step, line } = element
  const attributesOf = (name: string) => find(element, name)?.attributes
  const [loop, call, popup, program] = ['Loop', 'SequenceCall', 'MessagePopup', 'Callexe'].map(attributesOf)
  const attachment = find(element, 'Attachment')
  return {
    line,
    name: step['Name'],
    stepType: step['StepType'],
    status: step['Status'],
    start: step['Start'],
    totTime: step['total_time'],
    errorCode: step['StepErrorCode'],
    errorMessage: step['StepErrorMessage'],
    reportText: find(element, 'ReportText')?.text,
    loop: loop && { idx: loop['index'], num: loop['num'] },
    seqCall: call && {
      name: call['Name'],
      path: call['Filepath'] || call['Filename'],
      version: call['Version'],
    },
    messagePopup: popup && { response: popup['Response'], button: popup['Button'] },
    callExe: program && { exitCode: program['ExitCode'] },
    chart: childrenOf(element, 'Chart').map(toChart)[0],
    attachment: attachment && {
      line: attachment.line,
      name: attachment.attributes['Name'],
      contentType: attachment.attributes['ContentType'],
      data: attachment.text.replaceAll(/\s/g, ''),
    },
    ...listMeasurements(element),
    steps: childrenOf(element, 'Step').map(toStep),
  }
}

function listMeasurements(element: XmlElement) {
  const of = (name: string, members: Readonly<Record<string, string>>) =>
    childrenOf(element, name).map(({ line, attributes }) => ({
      line,
      ...Object.fromEntries(
        Object.entries(members).map(([member, attribute]) => [member, attributes[attribute]]),
      ),
    }))
  const common = { name: 'Name', status: 'Status' }
  const compared = { ...common, compOp: 'CompOperator' }
  return {
    numericMeas: of('NumericLimit', {
      ...compared,
      unit: 'Units',
      value: 'NumericValue',
      lowLimit: 'LowLimit',
      highLimit: 'HighLimit',
    }),
    stringMeas: of('StringValue', { ...compared, value: 'StringValue', limit: 'StringLimit' }),
    booleanMeas: of('PassFail', common),
  }
}

function toChart(element: XmlElement): Part {
  const { attributes: chart, line } = element
  return {
    line,
    label: chart['Label'],
    xLabel: chart['XLabel'],
    xUnit: chart['XUnit'],
    yLabel: chart['YLabel'],
    yUnit: chart['YUnit'],
    series: childrenOf(element, 'Series').map((series) => ({
      line: series.line,
      name: series.attributes['Name'],
      xdata: find(series, 'xdata')?.text,
      ydata: find(series, 'ydata')?.text,
    })),
  }
}

/** The line of the innermost part on the way to what is wrong. */
function tellLine(error: ReadError, report: Part): ReadError {
  return new ReadError(
    error.issues.map(({ path, message }) => {
      let { line } = report
      let part: unknown = report
      for (const name of path) {
        part = (part as Record<string | number, unknown> | undefined)?.[name]
        if (typeof part === 'object' && part !== null && 'line' in part) line = (part as Part).line
      }
      const place: FilePath = [`line ${line}`, ...path.slice(-1)]
      return { path: place, message }
    }),
  )
}
