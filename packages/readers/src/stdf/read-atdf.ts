import type { Pace } from '@runledger/protocol'
import { decodeText } from '../decode-text'
import { type FilePath, fileOf, ReadError } from '../read-error'
import { checkText } from '../standard-json'
import { compileFormat } from '../time-format'
import type { TimeReader } from '../times'
import type { UnitReport } from '../unit/report'
import { AtdfFields } from './atdf-fields'
import { collectParts } from './collect-parts'
import { SDR_TEXTS } from './decode-record'
import type { LineRecord, TestRecord } from './records'

/** No record has more fields. */
const MAX_FIELDS = 100

/** Reads ATDF, STDF V4 as text: a report of each part. @throws ReadError with the line of what cannot be read */
export function readAtdf(bytes: Uint8Array, times: TimeReader, pace?: Pace): AsyncGenerator<UnitReport> {
  checkText(bytes)
  const text = decodeText(bytes)
  return collectParts((types) => listRecords(text, times, types), { format: 'ATDF', times, pace })
}

function* listRecords(text: string, times: TimeReader, types?: ReadonlySet<string>): Generator<LineRecord> {
  const [, delimiter = '', rest = ''] = /^\s*FAR:A(.)([^\r\n]*)/.exec(text) ?? []
  if (delimiter === '')
    throw fileOf('it is not ATDF: it does not begin with a file attributes record (FAR:A)')
  const [version = '', , scaling = ''] = rest.split(delimiter)
  if (version.trim() !== '4') throw fileOf(`it is of STDF V${version.trim()}, and only V4 is read`)
  const context = { times, isScaled: scaling.trim().toUpperCase() !== 'U' }
  for (const { line, body } of listLines(text)) {
    const type = body.slice(0, 3)
    const decode = DECODERS[type]
    if (!/^[A-Z]{3}:/.test(body))
      throw new ReadError([
        {
          path: [`line ${line}`],
          message: `is "${body.slice(0, 40)}": it must begin with the name of a record, such as PTR:`,
        },
      ])
    if (decode === undefined || (types !== undefined && !types.has(type))) continue
    yield decode(new AtdfFields(body.slice(4).split(delimiter, MAX_FIELDS), [`line ${line}`]), context)
  }
}

/** Records, those in several lines joined: a line that continues one begins with a space. */
function* listLines(text: string): Generator<{ line: number; body: string }> {
  let open: { line: number; body: string } | undefined
  let line = 0
  for (let at = 0; at < text.length; line += 1) {
    const end = text.indexOf('\n', at)
    const row = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, '')
    at = end < 0 ? text.length : end + 1
    if (row.trim() === '') continue
    if (row.startsWith(' ') && open) open.body += row.slice(1)
    else {
      if (open) yield open
      open = { line: line + 1, body: row }
    }
  }
  if (open) yield open
}

interface Context {
  times: TimeReader
  /** Values are already multiplied for their units. */
  isScaled: boolean
}

const MIR_FIELDS = [
  [
    'LOT_ID',
    'PART_TYP',
    'JOB_NAM',
    'NODE_NAM',
    'TSTR_TYP',
    '',
    'START_T',
    'OPER_NAM',
    '',
    '',
    'SBLOT_ID',
    'TEST_COD',
  ],
  [
    '',
    'JOB_REV',
    'EXEC_TYP',
    'EXEC_VER',
    '',
    '',
    '',
    'TST_TEMP',
    'USER_TXT',
    'AUX_FILE',
    'PKG_TYP',
    'FAMLY_ID',
  ],
  [
    'DATE_COD',
    'FACIL_ID',
    'FLOOR_ID',
    'PROC_ID',
    'OPER_FRQ',
    'SPEC_NAM',
    'SPEC_VER',
    'FLOW_ID',
    'SETUP_ID',
    'DSGN_REV',
  ],
].flat()

const DECODERS: Readonly<Record<string, (fields: AtdfFields, context: Context) => LineRecord>> = {
  MIR: (fields, { times }) => {
    const { START_T: start = '', ...texts } = fields.texts(MIR_FIELDS)
    return { type: 'MIR', at: fields.at, startedAtUs: readTime(start, fields.at, times), texts }
  },
  SDR: (fields) => ({ type: 'SDR', at: fields.at, texts: fields.texts(['', '', '', ...SDR_TEXTS]) }),
  WIR: (fields) => ({ type: 'WIR', at: fields.at, head: fields.number(0) ?? 1, wafer: fields.text(3) }),
  PIR: (fields) => ({ type: 'PIR', at: fields.at, ...placeOf(fields, 0) }),
  PRR: (fields) => ({
    type: 'PRR',
    at: fields.at,
    ...placeOf(fields, 0),
    partId: fields.text(2),
    verdict: fields.verdict(4),
    hardBin: fields.number(5),
    softBin: fields.number(6),
    x: fields.number(7),
    y: fields.number(8),
    isRetest: fields.text(9) !== undefined,
    isAborted: fields.text(10) !== undefined,
    durationMs: fields.number(11),
    text: fields.text(12),
  }),
  PTR: (fields, context) => ({
    ...readTest({ type: 'PTR', verdict: 4, flags: 5 }, fields, context),
    results: fields.numbers(3),
    text: fields.text(6),
    remark: fields.text(7),
    units: fields.text(9),
    low: fields.number(10),
    high: fields.number(11),
    scale: fields.number(17),
  }),
  MPR: (fields, context) => ({
    ...readTest({ type: 'MPR', verdict: 5, flags: 6 }, fields, context),
    results: fields.numbers(4),
    text: fields.text(7),
    remark: fields.text(8),
    units: fields.text(10),
    low: fields.number(11),
    high: fields.number(12),
    scale: fields.number(22),
  }),
  FTR: (fields, context) => ({
    ...readTest({ type: 'FTR', verdict: 3, flags: 4 }, fields, context),
    text: fields.text(20),
    remark: [5, 21, 23].flatMap((index) => fields.text(index) ?? []).join(', ') || undefined,
  }),
  HBR: (fields) => ({ type: 'HBR', at: fields.at, ...readBin(fields) }),
  SBR: (fields) => ({ type: 'SBR', at: fields.at, ...readBin(fields) }),
  MRR: (fields) => ({ type: 'MRR', at: fields.at }),
}

const FLAGS: Readonly<Record<string, string>> = {
  A: 'alarm',
  U: 'unreliable',
  T: 'timeout',
  X: 'aborted',
  S: 'scale error',
  D: 'drift',
  O: 'oscillation',
}

function readTest(
  index: { type: TestRecord['type']; verdict: number; flags: number },
  fields: AtdfFields,
  { isScaled }: Context,
): TestRecord {
  const flags = (fields.text(index.flags) ?? '').toUpperCase()
  return {
    type: index.type,
    at: fields.at,
    test: fields.number(0) ?? 0,
    ...placeOf(fields, 1),
    verdict: fields.verdict(index.verdict),
    wasExecuted: !flags.includes('N'),
    flags: [...flags].flatMap((letter) => FLAGS[letter] ?? []),
    isScaled,
    results: [],
    text: undefined,
    remark: undefined,
    low: undefined,
    high: undefined,
    units: undefined,
    scale: undefined,
  }
}

function readBin(fields: AtdfFields) {
  return {
    bin: fields.number(2) ?? 0,
    isFailing: fields.text(4)?.toUpperCase() === 'F',
    name: fields.text(5),
  }
}

function placeOf(fields: AtdfFields, from: number): { head: number; site: number } {
  return { head: fields.number(from) ?? 1, site: fields.number(from + 1) ?? 1 }
}

const parseTime = compileFormat('H:mm:ss d-MMM-yyyy')

/** `8:23:02 23-JUL-1992`. @throws ReadError */
function readTime(text: string, at: FilePath, times: TimeReader): number {
  const iso = parseTime(text)
  const us = iso === undefined ? undefined : times.readUs(iso)
  if (us !== undefined) return us
  throw new ReadError([
    { path: [...at, 'START_T'], message: `is "${text}": it must be a time such as 8:23:02 23-JUL-1992` },
  ])
}
