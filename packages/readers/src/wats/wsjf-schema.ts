import * as z from 'zod'

/** A member that may be left out, or written as null. */
function maybe<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

const TextSchema = maybe(z.union([z.string(), z.number().transform(String)]))
const NOT_A_NUMBER = 'must be a number'
const SPECIAL: Readonly<Record<string, number>> = {
  NaN: NaN,
  Infinity: Infinity,
  '-Infinity': -Infinity,
  INF: Infinity,
  '-INF': -Infinity,
}

/** Numbers are texts in XML, and so are those that JSON has no word for. */
const NumberSchema = maybe(
  z.union(
    [
      z.number(),
      z
        .string()
        .trim()
        .refine((text) => Object.hasOwn(SPECIAL, text) || (text !== '' && Number.isFinite(Number(text))))
        .transform((text) => SPECIAL[text] ?? Number(text)),
    ],
    NOT_A_NUMBER,
  ),
)

function listOfOneOrMore<Schema extends z.ZodType>(schema: Schema) {
  const list = z.array(schema)
  return z.preprocess(
    (value) => (value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]),
    list,
  )
}

const NumericSchema = z.object({
  name: TextSchema,
  status: TextSchema,
  compOp: TextSchema,
  unit: TextSchema,
  value: NumberSchema,
  lowLimit: NumberSchema,
  highLimit: NumberSchema,
})
const StringSchema = z.object({
  name: TextSchema,
  status: TextSchema,
  compOp: TextSchema,
  value: TextSchema,
  limit: TextSchema,
})
const BooleanSchema = z.object({ name: TextSchema, status: TextSchema })
/** XML has texts instead of booleans. */
const FlagSchema = z
  .union([z.boolean(), z.string(), z.number()])
  .nullish()
  .transform((value) => /^(?:true|1)$/i.test(String(value)))

const SeriesSchema = z.object({ name: TextSchema, xdata: TextSchema, ydata: TextSchema })
export const ChartSchema = z.object({
  label: TextSchema,
  xLabel: TextSchema,
  xUnit: TextSchema,
  yLabel: TextSchema,
  yUnit: TextSchema,
  series: listOfOneOrMore(SeriesSchema),
})
export type Chart = z.output<typeof ChartSchema>

const AttachmentSchema = z.object({ name: z.string(), contentType: TextSchema, data: TextSchema })
const SequenceSchema = z.object({ name: TextSchema, path: TextSchema, version: TextSchema })

export const StepSchema = z.object({
  name: z.string(),
  group: TextSchema,
  status: TextSchema,
  start: TextSchema,
  totTime: NumberSchema,
  errorCode: TextSchema,
  errorMessage: TextSchema,
  reportText: TextSchema,
  causedSeqFailure: FlagSchema,
  causedUUTFailure: FlagSchema,
  interactiveExeNum: TextSchema,
  loop: maybe(
    z.object({
      idx: NumberSchema,
      num: NumberSchema,
      endingIndex: NumberSchema,
      passed: NumberSchema,
      failed: NumberSchema,
    }),
  ),
  seqCall: maybe(SequenceSchema),
  numericMeas: listOfOneOrMore(NumericSchema),
  stringMeas: listOfOneOrMore(StringSchema),
  booleanMeas: listOfOneOrMore(BooleanSchema),
  chart: listOfOneOrMore(ChartSchema),
  attachment: listOfOneOrMore(AttachmentSchema),
  messagePopup: maybe(z.object({ response: TextSchema, button: TextSchema })),
  callExe: maybe(z.object({ exitCode: TextSchema })),
  /** Additional results may have any form. */
  additionalResults: listOfOneOrMore(z.unknown()),
  // Each is checked by itself.
  steps: listOfOneOrMore(z.unknown()),
})
export type WatsStep = z.output<typeof StepSchema>

const UutSchema = z.object({
  execTime: NumberSchema,
  testSocketIndex: TextSchema,
  batchSN: TextSchema,
  comment: TextSchema,
  errorCode: TextSchema,
  errorMessage: TextSchema,
  fixtureId: TextSchema,
  user: TextSchema,
})

export const ReportSchema = z.object({
  type: TextSchema,
  id: TextSchema,
  pn: TextSchema,
  sn: TextSchema,
  rev: TextSchema,
  productName: TextSchema,
  processCode: TextSchema,
  processName: TextSchema,
  result: z.string(),
  machineName: TextSchema,
  location: TextSchema,
  purpose: TextSchema,
  start: TextSchema,
  startUTC: TextSchema,
  uut: maybe(UutSchema),
  miscInfos: listOfOneOrMore(z.object({ description: TextSchema, text: TextSchema, numeric: NumberSchema })),
  subUnits: listOfOneOrMore(
    z.object({ partType: TextSchema, pn: TextSchema, rev: TextSchema, sn: TextSchema }),
  ),
  root: maybe(z.unknown()),
})
export type WatsReport = z.output<typeof ReportSchema>
