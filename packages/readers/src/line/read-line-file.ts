import type { Importer, Pace } from '@runledger/protocol'
import type { ImportedRun } from '../imported-run'
import type { ParseJson } from '../read-json'
import { TimeReader } from '../times'
import { toImportedRun } from '../unit/to-run'
import type { UnitReport } from '../unit/report'
import { readAtml } from '../atml/read-atml'
import { readAtdf } from '../stdf/read-atdf'
import { readStdf } from '../stdf/read-stdf'
import { readTestStand } from '../teststand/read-teststand'
import { readWsjf } from '../wats/read-wsjf'
import { readWsxf } from '../wats/read-wsxf'

export type LineFormat = Exclude<Importer, 'OPENHTF'>

export interface LineFileOptions {
  /** The zone of times that say none; by default UTC. */
  timeZone?: string | undefined
  pace?: Pace | undefined
  parseJson?: ParseJson | undefined
}

/** Reads the reports of a file one after another. @throws ReadError that says where it cannot be read */
export type ReadReports = (
  bytes: Uint8Array,
  times: TimeReader,
  pace?: Pace,
) => AsyncIterable<UnitReport> | Iterable<UnitReport>

const READERS: Record<Exclude<LineFormat, 'WATS'>, ReadReports> = {
  WSXF: readWsxf,
  TESTSTAND: readTestStand,
  ATML: readAtml,
  STDF: readStdf,
  ATDF: readAtdf,
}

/** Reads a file of a production line as runs, one for each unit. @throws ReadError that says where it cannot be read */
export async function* readLineFile(
  format: LineFormat,
  bytes: Uint8Array,
  { timeZone, pace, parseJson }: LineFileOptions = {},
): AsyncGenerator<ImportedRun> {
  const times = new TimeReader(timeZone)
  const reports =
    format === 'WATS' ? readWsjf(bytes, times, { pace, parseJson }) : READERS[format](bytes, times, pace)
  for await (const report of reports) {
    yield toImportedRun(report, times)
    if (pace?.isOver) await pace.rest()
  }
}
