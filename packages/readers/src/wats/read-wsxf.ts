import type { Pace } from '@runledger/protocol'
import { decodeText } from '../decode-text'
import { fileOf, type FilePath, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { parseXml, type XmlElement } from '../xml'
import { childrenOf } from '../xml-tree'
import type { UnitReport } from '../unit/report'
import { mapWatsReport } from './map-report'
import { type Part, REPORT, toPart } from './wsxf-parts'

/** The XML format says the same as the JSON format, so it is read as that. @throws ReadError */
export async function* readWsxf(
  bytes: Uint8Array,
  times: TimeReader,
  pace?: Pace,
): AsyncGenerator<UnitReport> {
  const root = await parseXml(decodeText(bytes), pace)
  if (root.name !== 'Reports')
    throw fileOf(`its root is <${root.name}>, not <Reports>: it is not WATS's XML format`)
  for (const element of childrenOf(root, 'Report')) {
    const report = toReport(element)
    const locate = (path: FilePath) => findLine(report, path)
    try {
      yield mapWatsReport(report, [], { format: 'WSXF', times, locate })
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      throw new ReadError(error.issues.map(({ path, message }) => ({ path: locate(path), message })))
    }
  }
}

/** Converts the report to the form of the JSON format. */
function toReport(element: XmlElement): Part {
  const { process, steps = [], ...report } = toPart(element, REPORT)
  const [first, ...others] = steps as Part[]
  const { line, result: status } = report
  return {
    ...(process as Part | undefined),
    ...report,
    line,
    root: others.length > 0 ? { line, name: 'Steps', status, steps } : first,
  }
}

/** Returns the line of the innermost part that contains a place, and the path from there. */
function findLine(report: Part, path: FilePath): FilePath {
  let { line } = report
  let from = 0
  let part: unknown = report
  for (const [index, name] of path.entries()) {
    part = (part as Record<string | number, unknown> | undefined)?.[name]
    if (typeof part !== 'object' || part === null || !('line' in part)) continue
    line = (part as Part).line
    from = index + 1
  }
  return [`line ${line}`, ...path.slice(from)]
}
