import type { XmlElement } from '../xml'
import { childrenOf } from '../xml-tree'
import { isOfTest } from './unread'

/** An element in the form that its part of a report has in JSON, with the line it is from. */
export type Part = { line: number } & Record<string, unknown>

interface Shape {
  /** The members that its attributes become. */
  attributes?: Readonly<Record<string, string>>
  /** The elements within it. */
  children?: Readonly<Record<string, Child>>
  /** The member that its own text becomes. */
  text?: string
}

interface Child {
  as: string
  /** A list of all such elements, or the text of all of them; otherwise the first one. */
  kind?: 'list' | 'text'
  read?: (element: XmlElement) => unknown
}

const shaped = (as: string, shape: Shape, kind?: 'list'): Child => ({
  as,
  ...(kind && { kind }),
  read: (element) => toPart(element, shape),
})
const VALUE = { Name: 'name', Status: 'status', CompOperator: 'compOp' }
const SERIES: Shape = {
  attributes: { Name: 'name' },
  children: { xdata: { as: 'xdata', kind: 'text' }, ydata: { as: 'ydata', kind: 'text' } },
}
const CHART: Shape = {
  attributes: { Label: 'label', XLabel: 'xLabel', XUnit: 'xUnit', YLabel: 'yLabel', YUnit: 'yUnit' },
  children: { Series: shaped('series', SERIES, 'list') },
}
const NUMBER: Shape = {
  attributes: {
    ...VALUE,
    Units: 'unit',
    NumericValue: 'value',
    LowLimit: 'lowLimit',
    HighLimit: 'highLimit',
  },
}
const TEXT: Shape = { attributes: { ...VALUE, StringValue: 'value', StringLimit: 'limit' } }
const LOOP: Shape = {
  attributes: { index: 'idx', num: 'num', ending_index: 'endingIndex', passed: 'passed', failed: 'failed' },
}

const STEP: Shape = {
  attributes: {
    Name: 'name',
    Group: 'group',
    Status: 'status',
    Start: 'start',
    total_time: 'totTime',
    StepErrorCode: 'errorCode',
    StepErrorMessage: 'errorMessage',
    StepCausedSequenceFailure: 'causedSeqFailure',
    StepCausedUUTFailure: 'causedUUTFailure',
    InteractiveExeNum: 'interactiveExeNum',
  },
  children: {
    Loop: shaped('loop', LOOP),
    SequenceCall: { as: 'seqCall', read: toCall },
    MessagePopup: shaped('messagePopup', { attributes: { Response: 'response', Button: 'button' } }),
    Callexe: shaped('callExe', { attributes: { ExitCode: 'exitCode' } }),
    ReportText: { as: 'reportText', kind: 'text' },
    NumericLimit: shaped('numericMeas', NUMBER, 'list'),
    StringValue: shaped('stringMeas', TEXT, 'list'),
    PassFail: shaped('booleanMeas', { attributes: VALUE }, 'list'),
    Chart: shaped('chart', CHART, 'list'),
    Attachment: shaped(
      'attachment',
      { attributes: { Name: 'name', ContentType: 'contentType' }, text: 'data' },
      'list',
    ),
    AdditionalResults: { as: 'additionalResults', kind: 'list', read: toProperty },
    Step: { as: 'steps', kind: 'list', read: (element) => toPart(element, STEP) },
  },
}

const UUT: Shape = {
  attributes: {
    ExecutionTime: 'execTime',
    TestSocketIndex: 'testSocketIndex',
    BatchSN: 'batchSN',
    ErrorCode: 'errorCode',
    ErrorMessage: 'errorMessage',
    FixtureId: 'fixtureId',
    UserLoginName: 'user',
  },
  children: { Comment: { as: 'comment', kind: 'text' } },
}

export const REPORT: Shape = {
  attributes: {
    type: 'type',
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
  },
  children: {
    UUT: shaped('uut', UUT),
    Process: shaped('process', { attributes: { Code: 'processCode', Name: 'processName' } }),
    MiscInfo: shaped(
      'miscInfos',
      { attributes: { Description: 'description', Numeric: 'numeric' }, text: 'text' },
      'list',
    ),
    ReportUnitHierarchy: shaped(
      'subUnits',
      { attributes: { PartType: 'partType', PN: 'pn', Rev: 'rev', SN: 'sn' } },
      'list',
    ),
    Step: { as: 'steps', kind: 'list', read: (element) => toPart(element, STEP) },
  },
}

/** What the shape does not name gets a name that no member has: `@Attribute`, `<Element>` or `#text`. */
export function toPart(element: XmlElement, { attributes = {}, children = {}, text = '#text' }: Shape): Part {
  const part: Part = { line: element.line, [text]: element.text }
  for (const [name, value] of Object.entries(element.attributes))
    part[Object.hasOwn(attributes, name) ? (attributes[name] as string) : `@${name}`] = value
  for (const child of element.children) {
    const known = Object.hasOwn(children, child.name) ? children[child.name] : undefined
    if (known === undefined) part[`<${child.name}>`] = child
    else if (known.kind === 'text') addText(part, known.as, child)
    else if (known.kind === 'list') ((part[known.as] ??= []) as unknown[]).push(known.read?.(child))
    else if (Object.hasOwn(part, known.as)) part[`<${child.name}>`] = child
    else part[known.as] = known.read?.(child)
  }
  return part
}

function addText(part: Part, name: string, element: XmlElement): void {
  const { line: _line, text, ...others } = toPart(element, { text: 'text' })
  const before = part[name]
  part[name] = typeof before === 'string' ? `${before}\n${String(text)}` : text
  for (const [other, value] of Object.entries(others))
    if (isOfTest(other)) part[`<${element.name}>${other}`] = value
}

/** The path mostly ends in the name of the file, which some reports have alone. */
function toCall(element: XmlElement): Part {
  const attributes = { Name: 'name', Version: 'version', Filepath: 'path', Filename: 'file' }
  const { file, path, ...call } = toPart(element, { attributes })
  const [folder, name] = [String(path ?? ''), String(file ?? '')]
  return { ...call, line: element.line, path: folder.endsWith(name) ? folder : `${folder} ${name}`.trim() }
}

/** Attributes that say how a property of TestStand is stored. */
const FORM = new Set(['Name', 'Type', 'Flags', 'LBound', 'HBound', 'ElementType'])

/** Additional results are of any form; TestStand's has properties, and elements of arrays with an ID. */
function toProperty(element: XmlElement): Record<string, unknown> {
  const values = childrenOf(element, 'Value')
  const items = values.map((value) => ({
    text: value.attributes['ID'] ?? '',
    value: value.children.map(toProperty),
  }))
  const attributes = Object.entries(element.attributes)
    .filter(([name]) => !FORM.has(name) && isOfTest(`@${name}`))
    .map(([name, value]) => ({ name, value }))
  return {
    name: element.attributes['Name'] ?? element.name,
    value: [element.text, ...values.map(({ text }) => text)]
      .map((text) => text.trim())
      .filter(Boolean)
      .join(', '),
    props: [...attributes, ...element.children.filter(({ name }) => name !== 'Value').map(toProperty)],
    array: { indexes: items },
  }
}
