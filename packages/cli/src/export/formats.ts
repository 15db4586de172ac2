import type { RunDetail } from '@runledger/protocol'
import { formatJson } from '../output'
import { writeCsv } from './csv'
import { writeCtrf } from './ctrf'
import { writeJUnit } from './junit'

/** Each writes runs part by part, so that memory stays bounded. */
export const EXPORT_FORMATS = { junit: writeJUnit, ctrf: writeCtrf, csv: writeCsv, ndjson: writeNdjson }
export type ExportFormat = keyof typeof EXPORT_FORMATS

/** The service's JSON, one run on each line. */
async function* writeNdjson(runs: AsyncIterable<RunDetail>): AsyncGenerator<string> {
  for await (const run of runs) yield `${formatJson(run)}\n`
}
