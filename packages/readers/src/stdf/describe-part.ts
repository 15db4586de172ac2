import { ReadError } from '../read-error'
import type { Step, UnitReport } from '../unit/report'
import type { Lot, PartEndRecord } from './records'

export interface TestedPart {
  format: string
  lot: Lot
  /** Microseconds since the Unix epoch. */
  startedAtUs: number
  wafer: string | undefined
  steps: Step[]
}

/** A part as the report of a unit. @throws ReadError for a part that nothing names */
export function describePart(end: PartEndRecord, tested: TestedPart): UnitReport {
  const { format, lot, startedAtUs, wafer, steps } = tested
  const { texts } = lot.lot
  return {
    at: end.at,
    format,
    procedureName: texts['JOB_NAM'],
    procedureVersion: texts['JOB_REV'],
    serialNumber: nameUnit(end, texts['LOT_ID'], wafer),
    partNumber: texts['PART_TYP'],
    batch: texts['LOT_ID'],
    station: texts['NODE_NAM'],
    operator: texts['OPER_NAM'],
    startedAtUs,
    durationUs: (end.durationMs ?? 0) * 1000,
    outcome: findOutcome(end, steps, lot),
    comment: end.text,
    steps,
    metadata: [
      ['part_id', end.partId],
      ['wafer', wafer],
      ['x', end.x],
      ['y', end.y],
      ['head', end.head],
      ['site', end.site],
      ['hard_bin', nameBin(lot, 'HBR', end.hardBin)],
      ['soft_bin', nameBin(lot, 'SBR', end.softBin)],
      ['retest', end.isRetest ? true : undefined],
      ['verdict', end.verdict === undefined ? 'none: by the tests and bins' : undefined],
      ['estimated_times', 'start of the run, starts and lengths of steps'],
      ...listLot(lot),
    ],
  }
}

/** Facts of the lot that a run has no field for. */
function listLot({ lot, sites }: Lot): UnitReport['metadata'] {
  const mapped = new Set(['LOT_ID', 'PART_TYP', 'NODE_NAM', 'JOB_NAM', 'JOB_REV', 'OPER_NAM'])
  return Object.entries({ ...lot.texts, ...sites })
    .filter(([name]) => !mapped.has(name))
    .map(([name, text]) => [name.toLowerCase(), text])
}

/** The part id if it looks like a serial number. A counter is made unique by the lot; a die by lot, wafer and place. */
function nameUnit({ partId, x, y, at }: PartEndRecord, lot = '', wafer?: string): string {
  const isCounter = partId === undefined || /^\d{1,6}$/.test(partId)
  if (!isCounter) return partId
  const of = wafer === undefined ? lot : wafer.startsWith(lot) ? wafer : `${lot}_${wafer}`
  const place = x === undefined || y === undefined ? undefined : `X${x}_Y${y}`
  const name = (wafer !== undefined ? (place ?? partId) : (partId ?? place)) ?? ''
  if (name === '') throw new ReadError([{ path: at, message: 'has neither a part id nor coordinates' }])
  return [of, name].filter(Boolean).join('_')
}

function nameBin({ bins }: Lot, kind: 'HBR' | 'SBR', bin: number | undefined): string | undefined {
  if (bin === undefined) return undefined
  return [String(bin), bins.names.get(`${kind} ${bin}`)].filter(Boolean).join(' ')
}

function findOutcome(
  { verdict, isAborted, hardBin, softBin }: PartEndRecord,
  steps: readonly Step[],
  { bins }: Lot,
): UnitReport['outcome'] {
  if (isAborted) return 'ABORTED'
  if (verdict !== undefined) return verdict
  const isOfFailed = [`HBR ${hardBin}`, `SBR ${softBin}`].some((bin) => bins.failing.has(bin))
  const hasFailed = steps.some(({ outcome }) => outcome === 'FAIL' || outcome === 'ERROR')
  return isOfFailed || hasFailed ? 'FAIL' : 'PASS'
}
