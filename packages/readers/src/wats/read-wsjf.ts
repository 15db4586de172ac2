import type { Pace } from '@runledger/protocol'
import { type ParseJson, readJson } from '../read-json'
import type { TimeReader } from '../times'
import type { UnitReport } from '../unit/report'
import { mapWatsReport } from './map-report'

/** Reads WATS's JSON format: a report, or a list of them. @throws ReadError */
export async function* readWsjf(
  bytes: Uint8Array,
  times: TimeReader,
  { pace, parseJson }: { pace?: Pace | undefined; parseJson?: ParseJson | undefined } = {},
): AsyncGenerator<UnitReport> {
  const json = await readJson(bytes, pace, parseJson)
  if (!Array.isArray(json)) yield mapWatsReport(json, [], { format: 'WATS', times })
  else
    for (const [index, one] of json.entries())
      yield mapWatsReport(one, [`report ${index}`], { format: 'WATS', times })
}
