import { type FilePath, ReadError } from '../read-error'
import type { FieldReader } from './field-reader'
import type { BinRecord, LineRecord, PartEndRecord, TestRecord } from './records'

const MIR_TEXTS = [
  'LOT_ID',
  'PART_TYP',
  'NODE_NAM',
  'TSTR_TYP',
  'JOB_NAM',
  'JOB_REV',
  'SBLOT_ID',
  'OPER_NAM',
  'EXEC_TYP',
  'EXEC_VER',
  'TEST_COD',
  'TST_TEMP',
  'USER_TXT',
  'AUX_FILE',
  'PKG_TYP',
  'FAMLY_ID',
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
] as const
export const SDR_TEXTS = ['HAND_TYP', 'HAND_ID', 'CARD_TYP', 'CARD_ID', 'LOAD_TYP', 'LOAD_ID'] as const
const NO_COORDINATE = -32768
const NO_BIN = 65535
const FAILING = 'F'.charCodeAt(0)

const readTexts = (fields: FieldReader, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, fields.text()]))
const has = (flags: number | undefined, bit: number) => ((flags ?? 0) & (1 << bit)) !== 0

/** Reads the flags that contain the verdict. @throws ReadError if the record ends before them */
function readFlags(fields: FieldReader, at: FilePath): number {
  const flags = fields.u1()
  if (flags !== undefined) return flags
  throw new ReadError([{ path: at, message: 'has a record that ends before its verdict: it is damaged' }])
}

type Decode = (fields: FieldReader, at: FilePath) => LineRecord

export const DECODERS: Readonly<Record<string, Decode>> = {
  '1.10': (fields, at) => {
    const setUp = fields.u4() ?? 0
    const startedAtUs = (fields.u4() || setUp) * 1e6
    if (startedAtUs === 0)
      throw new ReadError([{ path: at, message: 'has neither a start nor a set-up time' }])
    // Station number, codes and burn-in time.
    fields.skip(1 + 3 + 2 + 1)
    return { type: 'MIR', at, startedAtUs, texts: readTexts(fields, MIR_TEXTS) }
  },
  '1.20': (_fields, at) => ({ type: 'MRR', at }),
  '1.40': (fields, at) => decodeBin('HBR', fields, at),
  '1.50': (fields, at) => decodeBin('SBR', fields, at),
  '1.80': (fields, at) => {
    fields.skip(2)
    fields.skip(fields.u1() ?? 0)
    return { type: 'SDR', at, texts: readTexts(fields, SDR_TEXTS) }
  },
  '2.10': (fields, at) => {
    const head = fields.u1() ?? 0
    fields.skip(1 + 4)
    return { type: 'WIR', at, head, wafer: fields.text() }
  },
  '5.10': (fields, at) => ({ type: 'PIR', at, head: fields.u1() ?? 0, site: fields.u1() ?? 0 }),
  '5.20': decodePartEnd,
  '15.10': (fields, at) => decodeParametric(fields, at, 'PTR'),
  '15.15': (fields, at) => decodeParametric(fields, at, 'MPR'),
  '15.20': decodeFunctional,
}

function decodeBin(type: BinRecord['type'], fields: FieldReader, at: FilePath): BinRecord {
  fields.skip(2)
  const bin = fields.u2() ?? NO_BIN
  fields.skip(4)
  const isFailing = fields.u1() === FAILING
  return { type, at, bin, isFailing, name: fields.text() }
}

function decodePartEnd(fields: FieldReader, at: FilePath): PartEndRecord {
  const [head = 0, site = 0, flags] = [fields.u1(), fields.u1(), readFlags(fields, at)]
  fields.skip(2)
  const known = (value: number | undefined, missing: number) => (value === missing ? undefined : value)
  return {
    type: 'PRR',
    at,
    head,
    site,
    verdict: has(flags, 4) ? undefined : has(flags, 3) ? 'FAIL' : 'PASS',
    isAborted: has(flags, 2),
    isRetest: has(flags, 0) || has(flags, 1),
    hardBin: known(fields.u2(), NO_BIN),
    softBin: known(fields.u2(), NO_BIN),
    x: known(fields.i2(), NO_COORDINATE),
    y: known(fields.i2(), NO_COORDINATE),
    durationMs: known(fields.u4(), 0),
    partId: fields.text(),
    text: fields.text(),
  }
}

const TEST_FLAGS: [bit: number, word: string][] = [
  [0, 'alarm'],
  [1, 'no value'],
  [2, 'unreliable'],
  [3, 'timeout'],
  [5, 'aborted'],
]
const PARAMETER_FLAGS: [bit: number, word: string][] = [
  [0, 'scale error'],
  [1, 'drift'],
  [2, 'oscillation'],
]

function decodeTestHead(fields: FieldReader, at: FilePath) {
  const [test = 0, head = 0, site = 0, flags] = [fields.u4(), fields.u1(), fields.u1(), readFlags(fields, at)]
  return {
    test,
    head,
    site,
    verdict: has(flags, 6) ? undefined : has(flags, 7) ? ('FAIL' as const) : ('PASS' as const),
    wasExecuted: !has(flags, 4),
    flags: TEST_FLAGS.flatMap(([bit, word]) => (has(flags, bit) ? word : [])),
    isScaled: false,
  }
}

function decodeParametric(fields: FieldReader, at: FilePath, type: 'PTR' | 'MPR'): TestRecord {
  const start = decodeTestHead(fields, at)
  const parameters = fields.u1()
  const flags = [
    ...start.flags,
    ...PARAMETER_FLAGS.flatMap(([bit, word]) => (has(parameters, bit) ? word : [])),
  ]
  const pins = type === 'MPR' ? (fields.u2() ?? 0) : 0
  const count = type === 'MPR' ? (fields.u2() ?? 0) : 1
  // States have half a byte each.
  fields.skip(Math.ceil(pins / 2))
  const results = fields.r4s(count)
  const [text, alarm] = [fields.text(), fields.text()]
  const options = fields.u1()
  const scale = fields.i1()
  fields.skip(2)
  const [low, high] = [fields.r4(), fields.r4()]
  if (type === 'MPR') fields.skip(8 + 2 * pins)
  const limit = (value: number | undefined, none: number, byDefault: number) =>
    has(options, none) ? null : options === undefined || has(options, byDefault) ? undefined : value
  return {
    type,
    at,
    ...start,
    flags,
    results,
    text,
    remark: alarm,
    low: limit(low, 6, 4),
    high: limit(high, 7, 5),
    scale: options === undefined || has(options, 0) ? undefined : scale,
    units: fields.text(),
  }
}

function decodeFunctional(fields: FieldReader, at: FilePath): TestRecord {
  const start = decodeTestHead(fields, at)
  // Optional data up to the offset of the vector.
  fields.skip(1 + 4 * 4 + 2 * 4 + 2)
  const [returned = 0, programmed = 0] = [fields.u2(), fields.u2()]
  fields.skip(2 * returned + Math.ceil(returned / 2) + 2 * programmed + Math.ceil(programmed / 2))
  fields.skip(Math.ceil((fields.u2() ?? 0) / 8))
  const [vector, , , text, alarm, , result] = Array.from({ length: 7 }, () => fields.text())
  const remark = [vector, alarm, result].filter(Boolean).join(', ') || undefined
  const rest = { low: null, high: null, scale: undefined, units: undefined, results: [] }
  return { type: 'FTR', at, ...start, ...rest, text, remark }
}
