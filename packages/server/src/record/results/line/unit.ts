import {
  formatTimestampUs,
  type LineUnit,
  MAX_LINE_DAYS,
  MAX_TREE_UNITS,
  MAX_UNIT_MEASUREMENTS,
  type LinePicture,
  type PlacedMeasurement,
  type TreeUnit,
  type UnitVerdict,
} from '@runledger/protocol'
import { placeAmong } from '@runledger/statistics'
import { US_PER_DAY } from '../../../base/clock'
import type { StorageContext } from '../../../storage/context'
import type { Query } from '../../../storage/database/database'
import { groupBy } from '../../../storage/database/rows'
import { mapMetadata } from '../../catalogue/metadata/store'
import { findPartDetail } from '../../catalogue/parts/store'
import type { UnitHeadRow } from '../../catalogue/units/list-store'
import { mapUnitHead } from '../../catalogue/units/map'
import { listUnitMetadata } from '../../catalogue/units/store'
import { type Addressing, createDownloadUrl } from '../../files/attachments/addresses'
import { readRolledCounts } from './rolled-store'
import {
  findPicture,
  listHeld,
  listHolders,
  listMeasured,
  listOtherValues,
  listPictures,
  listProcedureNames,
  listUnitHeads,
  type MeasuredRow,
  type PictureRow,
  readUnitVerdicts,
  type TreePlace,
  type VerdictRow,
} from './unit-store'

type UnitContext = Pick<StorageContext, 'database' | 'clock'> & Addressing

/** With the keys that the other parts of the history are read by. */
export interface UnitRead {
  fields: Omit<LineUnit, 'runs' | 'more_runs' | 'failures'>
  /** Of the unit and the units that it holds. */
  unitIds: number[]
}

export async function readLineUnit(context: UnitContext, unit: UnitHeadRow): Promise<UnitRead> {
  const { query } = context.database
  const [holders, found] = await Promise.all([listHolders(query, unit.id), listHeld(query, unit.id)])
  const held = found.slice(0, MAX_TREE_UNITS)
  const related = [...holders, ...held].map(({ unit_id: id }) => id)
  const [heads, rows, ofPart] = await Promise.all([
    listUnitHeads(query, related),
    readUnitVerdicts(query, [unit.id, ...related]),
    listProceduresOfPart(context, unit),
  ])
  const own = rows.filter(({ unit_id: id }) => id === unit.id)
  const names = await readProcedureNames(query, [...rows.map(({ procedure_id: id }) => id), ...ofPart])
  const mapTree = (places: readonly TreePlace[]) => mapTreeUnits(places, heads, { rows, names })
  const [shown, measured] = await Promise.all([
    describeUnit(context, unit),
    readMeasurements(query, own, names),
  ])
  return {
    fields: {
      unit: shown,
      holders: mapTree(holders),
      sub_units: mapTree(held),
      more_sub_units: found.length > held.length,
      verdicts: [
        ...mapVerdicts(own, names),
        ...ofPart
          .filter((id) => own.every(({ procedure_id: known }) => known !== id))
          .flatMap((id) => names.get(id) ?? [])
          .map((procedure) => ({ procedure, ...UNTESTED })),
      ],
      ...measured,
    },
    unitIds: [unit.id, ...held.map(({ unit_id: id }) => id)],
  }
}

const UNTESTED = { outcome: null, runs: 0, failed: 0, passed_at: null, last_run: null }

async function listProceduresOfPart(
  { database: { query }, clock }: UnitContext,
  unit: UnitHeadRow,
): Promise<number[]> {
  const part = await findPartDetail(query, unit.part_number)
  const fromUs = clock() - MAX_LINE_DAYS * US_PER_DAY
  const counts = part ? await readRolledCounts(query, { partId: part.id }, fromUs) : []
  return counts.map(({ procedure_id: id }) => id)
}

type ProcedureNames = ReadonlyMap<number, UnitVerdict['procedure']>

async function readProcedureNames(query: Query, ids: readonly number[]): Promise<ProcedureNames> {
  const rows = await listProcedureNames(query, [...new Set(ids)])
  return new Map(
    rows.map(({ id, public_id: publicId, identifier, name }) => [id, { id: publicId, identifier, name }]),
  )
}

function mapVerdicts(rows: readonly VerdictRow[], names: ProcedureNames): UnitVerdict[] {
  return rows.flatMap((row) => {
    const procedure = names.get(row.procedure_id)
    if (!procedure) return []
    const { outcome, runs, failed, passed_at, last_run_id: id, last_started_at_us: startedAtUs } = row
    return [
      {
        procedure,
        outcome,
        runs,
        failed,
        passed_at,
        last_run: { id, started_at: formatTimestampUs(startedAtUs) },
      },
    ]
  })
}

function mapTreeUnits(
  places: readonly TreePlace[],
  heads: readonly UnitHeadRow[],
  { rows, names }: { rows: readonly VerdictRow[]; names: ProcedureNames },
): TreeUnit[] {
  const byId = new Map(heads.map((head) => [head.id, head]))
  const verdicts = groupBy(rows, ({ unit_id: id }) => id)
  return places.flatMap(({ unit_id: id, depth }) => {
    const head = byId.get(id)
    if (!head) return []
    const { id: publicId, serial_number, part, batch } = mapUnitHead(head)
    const fields = { id: publicId, serial_number, part, batch, depth, parent: head.parent_serial_number }
    return [{ ...fields, verdicts: mapVerdicts(verdicts.get(id) ?? [], names) }]
  })
}

async function describeUnit(context: UnitContext, unit: UnitHeadRow): Promise<LineUnit['unit']> {
  const { query } = context.database
  const [image, attached, metadata] = await Promise.all([
    unit.image_id === null ? undefined : findPicture(query, unit.image_id),
    listPictures(query, 'unit_id', [unit.id]),
    listUnitMetadata(query, [unit.id], MAX_METADATA),
  ])
  const pictures = [
    ...(image ? [image] : []),
    ...attached.filter(({ public_id: id }) => id !== unit.image_id),
  ]
  return {
    ...mapUnitHead(unit),
    metadata: mapMetadata(metadata),
    pictures: pictures.map((picture) => mapPicture(context, picture)),
  }
}

const MAX_METADATA = 100

export function mapPicture(context: Addressing, row: PictureRow): LinePicture {
  const { public_id: id, name, content_type, size_bytes: size } = row
  return { id, name, content_type, size, download_url: createDownloadUrl(context, id) }
}

/** Values of each procedure's last run, each with those of other units. */
async function readMeasurements(
  query: Query,
  own: readonly VerdictRow[],
  names: ProcedureNames,
): Promise<Pick<LineUnit, 'measurements' | 'more_measurements'>> {
  const [first] = own
  const runs = new Map(own.map((row) => [row.last_run_key, row]))
  const found = await listMeasured(query, [...runs.keys()])
  const measured = found.slice(0, MAX_UNIT_MEASUREMENTS)
  const others = first ? await listOtherValues(query, first.unit_id, measured) : []
  return {
    measurements: measured.flatMap((row, index) => {
      const run = runs.get(row.run_id)
      const procedure = run && names.get(run.procedure_id)
      return run && procedure
        ? [{ run_id: run.last_run_id, procedure_id: procedure.id, ...mapMeasured(row, others[index] ?? []) }]
        : []
    }),
    more_measurements: found.length > measured.length,
  }
}

function mapMeasured(
  row: MeasuredRow,
  others: readonly number[],
): Omit<PlacedMeasurement, 'run_id' | 'procedure_id'> {
  const { phase, measurement, unit, value, limit_low, limit_high, failed } = row
  const place = placeAmong(value, others)
  return {
    phase,
    measurement,
    unit,
    value,
    limit_low,
    limit_high,
    passed: failed === 0,
    others: place
      ? {
          n: place.n,
          mean: place.mean,
          standard_deviation: place.standardDeviation ?? null,
          min: place.min,
          low_quartile: place.lowQuartile,
          median: place.median,
          high_quartile: place.highQuartile,
          max: place.max,
          below: place.below,
        }
      : null,
  }
}
