import { AttachmentList } from '../attachment-list'
import { checkShape } from '../check-shape'
import { Notes } from '../notes'
import { type FilePath, quote, ReadError } from '../read-error'
import { OffsetTimes, type TimeReader } from '../times'
import { readRunOutcome } from '../unit/outcomes'
import type { UnitReport } from '../unit/report'
import { listErrors, mapStep, readStart } from './map-step'
import { listUnread } from './unread'
import { ReportSchema, StepSchema, type WatsReport } from './wsjf-schema'

interface WatsFile {
  format: string
  times: TimeReader
  /** Maps a place in the report to its place in the file. */
  locate?: (path: FilePath) => FilePath
}

const TESTS = new Set(['T', 'TEST', 'UUT'])

/** A report of WATS, in the form that its JSON has. @throws ReadError */
export function mapWatsReport(
  sent: unknown,
  at: FilePath,
  { format, times: ofFile, locate = (path) => path }: WatsFile,
): UnitReport {
  const notes = new Notes(locate)
  const report = checkShape(ReportSchema, sent, at)
  const { type = 'T', uut } = report
  if (!TESTS.has(type.toUpperCase()))
    throw new ReadError([
      {
        path: [...at, 'type'],
        message: `is ${quote(type)}: only test reports are read, and no reports of repairs`,
      },
    ])
  const { startedAtUs, times } = readClock(report, ofFile, { at, notes })
  if (startedAtUs === undefined) throw new ReadError([{ path: [...at, 'start'], message: 'is missing' }])
  const files = new AttachmentList()
  const unread = new Set(listUnread(sent, report))
  const rootAt = [...at, 'root']
  const root = report.root === undefined ? undefined : checkShape(StepSchema, report.root, rootAt)
  const whole = root && mapStep(report.root, rootAt, { times, files, notes, unread, depth: 0 })
  const isGroup = whole !== undefined && whole.steps.length > 0 && whole.values.length === 0
  if (unread.size > 0) notes.addFirst(at, `has members that were not read: ${nameAll([...unread])}`)
  return {
    at: locate(at),
    format,
    procedureName: report.processName?.trim() || root?.seqCall?.name || undefined,
    procedureVersion: root?.seqCall?.version,
    serialNumber: report.sn,
    partNumber: report.pn,
    revision: report.rev,
    batch: uut?.batchSN,
    station: report.machineName,
    operator: uut?.user,
    startedAtUs,
    durationUs: uut?.execTime === undefined || !(uut.execTime >= 0) ? undefined : uut.execTime * 1e6,
    outcome: readRunOutcome(report.result, [...at, 'result']),
    comment: uut?.comment,
    errors: [...listErrors(uut?.errorCode, uut?.errorMessage), ...(isGroup ? whole.errors : [])],
    texts: isGroup ? whole.texts : [],
    steps: whole === undefined ? [] : isGroup ? whole.steps : [whole],
    notes,
    metadata: listMetadata(report, root?.seqCall?.path),
    attachments: files.attachments,
  }
}

const MAX_NAMES = 20

function nameAll(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : []
  return [...names.slice(0, MAX_NAMES).map((name) => name.slice(0, 60)), ...more].join(', ')
}

const UTC = new OffsetTimes(0)
/** No zone is farther from UTC. */
const MAX_OFFSET_US = 15 * 3600 * 1e6
/** Times within this difference are equal, because both may be rounded. */
const SAME_US = 1e6

/** Values of `startUTC` from testers that do not set it. */
const UNFILLED = /^(?:0001-01-01|1970-01-01T00:00:00)/

/** Reads the start of the test and the offset of times of steps. A `start` without a zone beside `startUTC` gives the offset. */
function readClock(
  report: WatsReport,
  times: TimeReader,
  { at, notes }: { at: FilePath; notes: Notes },
): { startedAtUs: number | undefined; times: TimeReader } {
  const [start, startUTC] = [report.start?.trim() ?? '', report.startUTC?.trim() ?? '']
  if (start === '') return { startedAtUs: readStart(startUTC, [...at, 'startUTC'], UTC), times }
  const [utcUs = NaN, localUs = NaN] = [UTC.readUs(startUTC), UTC.readUs(start)]
  const isOffset = !times.isZoned(start) && Math.abs(localUs - utcUs) <= MAX_OFFSET_US
  if (isOffset) return { startedAtUs: utcUs, times: new OffsetTimes(localUs - utcUs) }
  const startedAtUs = readStart(start, [...at, 'start'], times)
  const isSame = startedAtUs !== undefined && Math.abs(startedAtUs - utcUs) <= SAME_US
  if (startUTC !== '' && !UNFILLED.test(startUTC) && !isSame) {
    const what = Number.isNaN(utcUs) ? 'is no time' : 'is another time'
    notes.add(
      [...at, 'startUTC'],
      `is ${quote(startUTC)}, which ${what}: the start is ${quote(start)}, as start says`,
    )
  }
  return { startedAtUs, times }
}

function listMetadata(report: WatsReport, sequence: string | undefined): UnitReport['metadata'] {
  const { uut, miscInfos, subUnits } = report
  return [
    ['report_id', report.id],
    ['product_name', report.productName],
    ['process_code', report.processCode],
    ['location', report.location],
    ['purpose', report.purpose],
    ['sequence', sequence],
    ['fixture', uut?.fixtureId],
    ['test_socket', uut?.testSocketIndex === '-1' ? undefined : uut?.testSocketIndex],
    ...subUnits.map(({ partType, pn, rev, sn }, index): UnitReport['metadata'][number] => [
      `sub_unit_${index + 1}`,
      [partType, sn, [pn, rev].filter(Boolean).join(' ')].filter(Boolean).join(', '),
    ]),
    ...miscInfos.map(({ description = '', text, numeric }): UnitReport['metadata'][number] => [
      description,
      text?.trim() || (Number.isFinite(numeric) ? numeric : undefined),
    ]),
  ]
}
