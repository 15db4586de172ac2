import type { FilePath } from '../read-error'

/** What STDF and ATDF say of a lot. Names as in the STDF V4 specification. */
export interface LotRecord {
  type: 'MIR'
  at: FilePath
  /** Microseconds since the Unix epoch. */
  startedAtUs: number
  texts: Readonly<Record<string, string | undefined>>
}

/** The configuration of sites, as `HAND_ID`. */
export interface SiteRecord {
  type: 'SDR'
  at: FilePath
  texts: Readonly<Record<string, string | undefined>>
}

export interface WaferRecord {
  type: 'WIR'
  at: FilePath
  head: number
  wafer: string | undefined
}

interface Placed {
  at: FilePath
  head: number
  site: number
}

export interface PartBeginRecord extends Placed {
  type: 'PIR'
}

export interface PartEndRecord extends Placed {
  type: 'PRR'
  verdict: 'PASS' | 'FAIL' | undefined
  isAborted: boolean
  isRetest: boolean
  hardBin: number | undefined
  softBin: number | undefined
  x: number | undefined
  y: number | undefined
  durationMs: number | undefined
  partId: string | undefined
  text: string | undefined
}

/** A result of a test: PTR, MPR or FTR. */
export interface TestRecord extends Placed {
  type: 'PTR' | 'MPR' | 'FTR'
  test: number
  verdict: 'PASS' | 'FAIL' | undefined
  wasExecuted: boolean
  /** Flags that make the results useless, such as `alarm`. */
  flags: readonly string[]
  /** Already multiplied where the file is scaled. */
  results: readonly number[]
  isScaled: boolean
  text: string | undefined
  remark: string | undefined
  /** Undefined: as in the test's first record. Null: no limit. */
  low: number | null | undefined
  high: number | null | undefined
  units: string | undefined
  scale: number | undefined
}

export interface BinRecord {
  type: 'HBR' | 'SBR'
  at: FilePath
  bin: number
  isFailing: boolean
  name: string | undefined
}

export interface EndRecord {
  type: 'MRR'
  at: FilePath
}

/** What holds for all parts of a lot. */
export interface Lot {
  lot: LotRecord
  sites: Readonly<Record<string, string | undefined>>
  bins: Bins
}

/** The names of bins, and which bins are for failed parts. Keys are texts such as `HBR 1`. */
export interface Bins {
  names: ReadonlyMap<string, string>
  failing: ReadonlySet<string>
}

export type LineRecord =
  LotRecord | SiteRecord | WaferRecord | PartBeginRecord | PartEndRecord | TestRecord | BinRecord | EndRecord
