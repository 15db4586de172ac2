import type { XmlElement } from '../xml'
import { childrenOf } from '../xml-tree'
import { isOfTest, isOfXml } from './unread'

/** An element in the form of the JSON format, with its line in the file. */
export type Part = { line: number } & Record<string, unknown>

interface Shape {
  /** The JSON member for each attribute. */
  attributes?: Readonly<Record<string, string>>
  /** The JSON member for each child element. */
  children?: Readonly<Record<string, Child>>
  /** The JSON member for the element's text. */
  text?: string
}

interface Child {
  as: string
  /** `list` reads all such elements, `text` joins their texts. The default reads the first element. */
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

/** Unknown parts get names that no member has: `@Attribute`, `<Element>` or `#text`. */
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

/** The path usually ends in the name of the file. Some reports have only the file name, or the file name and a folder. */
function toCall(element: XmlElement): Part {
  const attributes = { Name: 'name', Version: 'version', Filepath: 'path', Filename: 'file' }
  const { file: sentFile, path: sentPath, ...call } = toPart(element, { attributes })
  const [path, file] = [sentPath, sentFile].map((text) => (typeof text === 'string' ? text.trim() : ''))
  if (!path || !file) return { ...call, line: element.line, path: path || file }
  if (/[\\/]$/.test(path)) return { ...call, line: element.line, path: `${path}${file}` }
  const isSame = path.split(/[\\/]/).at(-1)?.toLowerCase() === file.toLowerCase()
  return { ...call, line: element.line, path, ...(!isSame && { '@Filename': file }) }
}

/** Attributes that say how a property of TestStand is stored. */
const FORM = new Set(['Name', 'Type', 'Flags', 'LBound', 'HBound', 'ElementType'])

/** Additional results may have any form. TestStand writes properties with their values in elements; elements of arrays have an ID. */
function toProperty(element: XmlElement): Record<string, unknown> {
  const isOfTestStand = element.name === 'Prop'
  const { Name: name, ...others } = element.attributes
  const values = isOfTestStand ? childrenOf(element, 'Value') : []
  const text = [element.text, ...values.map((value) => value.text)].map((one) => one.trim()).filter(Boolean)
  const inner = element.children.filter((child) => !isOfTestStand || child.name !== 'Value')
  const isLabel = isOfTestStand || text.length > 0 || inner.length > 0
  const attributes = Object.entries(isLabel ? others : element.attributes).filter(
    ([attribute]) => !(isOfTestStand && FORM.has(attribute)) && !isOfXml(attribute),
  )
  return {
    name: (isLabel ? name : undefined) ?? element.name,
    value: text.join(', '),
    props: [...attributes.map(([one, value]) => ({ name: one, value })), ...inner.map(toProperty)],
    array: {
      indexes: values.map((value) => ({
        text: value.attributes['ID'] ?? '',
        value: value.children.map(toProperty),
      })),
    },
  }
}
