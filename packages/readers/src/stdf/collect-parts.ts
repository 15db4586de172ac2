import type { Pace } from '@runledger/protocol'
import { type FilePath, fileOf, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import type { UnitReport } from '../unit/report'
import { describePart } from './describe-part'
import type { Bins, LineRecord, Lot, LotRecord, TestRecord } from './records'
import { TestMapper } from './test-mapper'

/** Records from the first on; only those of the types, where some are given. */
type ListRecords = (types?: ReadonlySet<string>) => Iterable<LineRecord>

export interface CollectOptions {
  format: string
  times: TimeReader
  pace: Pace | undefined
}

interface OpenPart {
  at: FilePath
  startedAtUs: number
  tests: TestRecord[]
  /** The number of its results. A test without results counts as one. */
  size: number
}

const RECORDS_AT_ONCE = 2_000
const MAX_RESULTS = 100_000
/** The limit for all parts that are tested at the same time on several sites. */
const MAX_OPEN_RESULTS = 500_000

/** A report of each part, in the order in which they end. @throws ReadError with the place of a record that does not fit */
export async function* collectParts(list: ListRecords, options: CollectOptions): AsyncGenerator<UnitReport> {
  const parts = new PartCollector(options.format, readEnd(list))
  let count = 0
  for (const record of list()) {
    const report = parts.take(record)
    if (report) yield report
    count += 1
    if (count % RECORDS_AT_ONCE === 0 && options.pace?.isOver) await options.pace.rest()
  }
  parts.close()
}

/** Bins are named at the end. @throws ReadError for a file without an end */
function readEnd(list: ListRecords): Bins {
  const names = new Map<string, string>()
  const failing = new Set<string>()
  let hasEnd = false
  for (const record of list(new Set(['HBR', 'SBR', 'MRR']))) {
    if (record.type === 'MRR') hasEnd = true
    if (!('bin' in record)) continue
    const bin = `${record.type} ${record.bin}`
    if (record.name !== undefined) names.set(bin, record.name)
    if (record.isFailing) failing.add(bin)
  }
  if (!hasEnd) throw fileOf('it has no MRR record at its end: it broke off, or the tester still writes it')
  return { names, failing }
}

class PartCollector {
  readonly #format: string
  readonly #bins: Bins
  readonly #tests = new TestMapper()
  readonly #open = new Map<string, OpenPart>()
  readonly #wafers = new Map<number, string | undefined>()
  /** The number of results of all open parts. */
  #openSize = 0
  #sites: Lot['sites'] = {}
  #lot: LotRecord | undefined
  /** Parts have no times: those of one touchdown begin together, after the end of the ones before. */
  #nowUs = 0
  #endUs = 0

  constructor(format: string, bins: Bins) {
    this.#format = format
    this.#bins = bins
  }

  take(record: LineRecord): UnitReport | undefined {
    if (record.type === 'MIR') {
      this.#lot = record
      this.#nowUs = record.startedAtUs
      this.#endUs = record.startedAtUs
    } else if (record.type === 'SDR') this.#sites = { ...this.#sites, ...withoutBlanks(record.texts) }
    else if (record.type === 'WIR') this.#wafers.set(record.head, record.wafer)
    else if (record.type === 'PIR') this.#begin(record)
    else if (record.type === 'PRR') return this.#end(record)
    else if ('test' in record) this.#add(record)
    return undefined
  }

  /** @throws ReadError for a part that did not end */
  close(): void {
    const [unfinished] = this.#open.values()
    if (unfinished)
      throw new ReadError([{ path: unfinished.at, message: 'begins a part (PIR) that never ends (PRR)' }])
  }

  #begin(record: { at: FilePath; head: number; site: number }): void {
    if (this.#lot === undefined)
      throw new ReadError([{ path: record.at, message: 'begins a part before the lot (MIR)' }])
    const key = keyOf(record)
    if (this.#open.has(key))
      throw new ReadError([
        {
          path: record.at,
          message: `begins a part at head ${record.head}, site ${record.site}, where another has not ended`,
        },
      ])
    if (this.#open.size === 0) this.#nowUs = this.#endUs
    this.#open.set(key, { at: record.at, startedAtUs: this.#nowUs, tests: [], size: 0 })
  }

  #add(record: TestRecord): void {
    const part = this.#open.get(keyOf(record))
    this.#tests.remember(record)
    if (part) this.#addTo(part, record)
    else if (record.wasExecuted && (record.results.length > 0 || record.type === 'FTR'))
      throw new ReadError([
        {
          path: record.at,
          message: `is a result of test ${record.test} at head ${record.head}, site ${record.site}, where no part is tested`,
        },
      ])
  }

  /** @throws ReadError above a limit for results */
  #addTo(part: OpenPart, record: TestRecord): void {
    const size = Math.max(1, record.results.length)
    part.size += size
    this.#openSize += size
    const refuse = (of: string, fix: string) =>
      new ReadError([{ path: record.at, message: `brings the results of ${of}: ${fix}` }])
    if (part.size > MAX_RESULTS)
      throw refuse(
        `a part to more than ${MAX_RESULTS}`,
        'leave out results of this part, or test it in several runs',
      )
    if (this.#openSize > MAX_OPEN_RESULTS)
      throw refuse(
        `the parts that are tested together to more than ${MAX_OPEN_RESULTS}`,
        'leave out results, or test fewer parts at once',
      )
    part.tests.push(record)
  }

  #end(record: Extract<LineRecord, { type: 'PRR' }>): UnitReport {
    const part = this.#open.get(keyOf(record))
    const lot = this.#lot
    if (part === undefined || lot === undefined)
      throw new ReadError([
        {
          path: record.at,
          message: `ends a part (PRR) at head ${record.head}, site ${record.site}, where none began (PIR)`,
        },
      ])
    this.#open.delete(keyOf(record))
    this.#openSize -= part.size
    // A millisecond at least, so that a part tested again is later.
    this.#endUs = Math.max(this.#endUs, part.startedAtUs + Math.max(1, record.durationMs ?? 0) * 1000)
    return describePart(record, {
      format: this.#format,
      lot: { lot, sites: this.#sites, bins: this.#bins },
      startedAtUs: part.startedAtUs,
      wafer: this.#wafers.get(record.head),
      steps: part.tests.map((test) => this.#tests.toStep(test)),
    })
  }
}

function keyOf({ head, site }: { head: number; site: number }): string {
  return `${head} ${site}`
}

function withoutBlanks(texts: Lot['sites']): Lot['sites'] {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
}
