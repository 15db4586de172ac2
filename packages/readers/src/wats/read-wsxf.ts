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
type Names = Readonly<Record<string, string>>

const REPORT: Names = {
  ID: 'id',
  PN: 'pn',
  SN: 'sn',
  Rev: 'rev',
  ProductName: 'productName',
  Result: 'result',
  MachineName: 'machineName',
  Location: 'location',
  Purpose: 'purpose',
  Start: 'start',
  Start_utc: 'startUTC',
}
const PROCESS: Names = { Code: 'processCode', Name: 'processName' }
const MISC_INFO: Names = { Description: 'description', Numeric: 'numeric' }
const SUB_UNIT: Names = { PartType: 'partType', PN: 'pn', Rev: 'rev', SN: 'sn' }
const UUT: Names = {
  ExecutionTime: 'execTime',
  TestSocketIndex: 'testSocketIndex',
  BatchSN: 'batchSN',
  ErrorCode: 'errorCode',
  ErrorMessage: 'errorMessage',
  FixtureId: 'fixtureId',
  UserLoginName: 'user',
  StepIdCausedUUTFailure: 'stepIdCausedUUTFailure',
}
const STEP: Names = {
  Name: 'name',
  Group: 'group',
  StepType: 'stepType',
  Status: 'status',
  Start: 'start',
  total_time: 'totTime',
  StepErrorCode: 'errorCode',
  StepErrorMessage: 'errorMessage',
  StepCausedSequenceFailure: 'causedSeqFailure',
  StepCausedUUTFailure: 'causedUUTFailure',
  InteractiveExeNum: 'interactiveExeNum',
  TSGuid: 'tsGuid',
}
const LOOP: Names = { index: 'idx', ending_index: 'endingIndex' }
const CALL: Names = { Name: 'name', Version: 'version', Filepath: 'path' }
const POPUP: Names = { Response: 'response', Button: 'button' }
const PROGRAM: Names = { ExitCode: 'exitCode' }
const VALUE: Names = { Name: 'name', Status: 'status', CompOperator: 'compOp' }
const NUMBER: Names = {
  ...VALUE,
  Units: 'unit',
  NumericValue: 'value',
  LowLimit: 'lowLimit',
  HighLimit: 'highLimit',
}
const TEXT: Names = { ...VALUE, StringValue: 'value', StringLimit: 'limit' }
const ATTACHMENT: Names = { Name: 'name', ContentType: 'contentType' }
const CHART: Names = {
  Label: 'label',
  XLabel: 'xLabel',
  XUnit: 'xUnit',
  YLabel: 'yLabel',
  YUnit: 'yUnit',
  ChartType: 'chartType',
}
const SERIES: Names = { Name: 'name', DataType: 'dataType' }

/** The attributes under the names that JSON has; others, which no reader reads, under their own. */
function rename(element: XmlElement, names: Names): Part {
  const entries = Object.entries(element.attributes).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value,
  ])
  return { ...Object.fromEntries(entries), line: element.line }
}

const partsOf = (element: XmlElement, name: string, names: Names) =>
  childrenOf(element, name).map((one) => rename(one, names))

/** Elements that no reader reads. */
function listOthers(element: XmlElement, known: readonly string[]): Record<string, XmlElement> {
  return Object.fromEntries(
    element.children.filter(({ name }) => !known.includes(name)).map((child) => [child.name, child]),
  )
}

function toReport(element: XmlElement): Part {
  const [uut, process] = [find(element, 'UUT'), find(element, 'Process')]
  const steps = childrenOf(element, 'Step').map(toStep)
  const { line } = element
  return {
    ...listOthers(element, ['UUT', 'Process', 'MiscInfo', 'ReportUnitHierarchy', 'Step']),
    ...(process && rename(process, PROCESS)),
    ...rename(element, REPORT),
    uut: uut && {
      ...listOthers(uut, ['Comment']),
      ...rename(uut, UUT),
      comment: find(uut, 'Comment')?.text,
    },
    miscInfos: childrenOf(element, 'MiscInfo').map((one) => ({ ...rename(one, MISC_INFO), text: one.text })),
    subUnits: partsOf(element, 'ReportUnitHierarchy', SUB_UNIT),
    root: steps.length > 1 ? { line, name: 'Steps', status: element.attributes['Result'], steps } : steps[0],
  }
}

const STEP_PARTS = [
  'Loop',
  'SequenceCall',
  'MessagePopup',
  'Callexe',
  'ReportText',
  'NumericLimit',
  'StringValue',
  'PassFail',
  'Chart',
  'Attachment',
  'AdditionalResults',
  'Step',
]

function toStep(element: XmlElement): Part {
  const [loop, call, popup, program] = ['Loop', 'SequenceCall', 'MessagePopup', 'Callexe'].map((name) =>
    find(element, name),
  )
  return {
    ...listOthers(element, STEP_PARTS),
    ...rename(element, STEP),
    reportText: find(element, 'ReportText')?.text,
    loop: loop && rename(loop, LOOP),
    seqCall: call && toCall(call),
    messagePopup: popup && rename(popup, POPUP),
    callExe: program && rename(program, PROGRAM),
    numericMeas: partsOf(element, 'NumericLimit', NUMBER),
    stringMeas: partsOf(element, 'StringValue', TEXT),
    booleanMeas: partsOf(element, 'PassFail', VALUE),
    chart: childrenOf(element, 'Chart').map((chart) => ({
      ...rename(chart, CHART),
      series: childrenOf(chart, 'Series').map((series) => ({
        ...rename(series, SERIES),
        xdata: find(series, 'xdata')?.text,
        ydata: find(series, 'ydata')?.text,
      })),
    })),
    attachment: childrenOf(element, 'Attachment').map((one) => ({
      ...rename(one, ATTACHMENT),
      data: one.text,
    })),
    additionalResults: childrenOf(element, 'AdditionalResults').map(toProperty),
    steps: childrenOf(element, 'Step').map(toStep),
  }
}

/** The path ends in the name of the file, which some reports have alone. */
function toCall(element: XmlElement): Part {
  const { Filename: file, ...attributes } = element.attributes
  const call = rename({ ...element, attributes }, CALL)
  return { ...call, path: call['path'] || file }
}

/** Additional results are of any form; TestStand's has properties, and elements of arrays with an ID. */
function toProperty(element: XmlElement): Part {
  const values = childrenOf(element, 'Value')
  const items = values.flatMap((value) =>
    childrenOf(value, 'Prop').map((one) => ({ text: value.attributes['ID'], value: toProperty(one) })),
  )
  const others = element.children.filter(({ name }) => name !== 'Prop' && name !== 'Value')
  return {
    line: element.line,
    name: element.attributes['Name'] ?? element.name,
    value: [element.text, ...values.map(({ text }) => text)]
      .map((text) => text.trim())
      .filter(Boolean)
      .join(', '),
    props: [...childrenOf(element, 'Prop'), ...others].map(toProperty),
    array: { indexes: items },
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
