import {
  foldIdentifier,
  type GaugeStudyAnswer,
  type GetGaugeStudyQuery,
  MAX_LINE_VALUES,
} from '@runledger/protocol'
import { gaugeStudy, type GaugeStudy } from '@runledger/statistics'
import type { StorageContext } from '../../../storage/context'
import { findAskedMeasurement } from './measurement'
import { isUnitOfStudy, readValues } from './read-store'

/** Values that no station reported count as those of one. */
const WITHOUT_STATION = 'no station'

/** From repeated measurements of some units at each station. */
export async function getGaugeStudy(
  context: Pick<StorageContext, 'database' | 'clock'>,
  asked: GetGaugeStudyQuery,
): Promise<GaugeStudyAnswer> {
  const { fields, key, fromUs } = await findAskedMeasurement(context, asked)
  const found = await readValues(context.database.query, {
    key,
    fromUs,
    limit: MAX_LINE_VALUES + 1,
    units: isUnitOfStudy(asked.serial_numbers?.map(foldIdentifier)),
  })
  const rows = found.slice(-MAX_LINE_VALUES)
  const last = rows.at(-1)
  const study = gaugeStudy(
    rows.map((row) => ({
      unit: row.serial_number,
      station: row.station ?? WITHOUT_STATION,
      value: row.value,
    })),
    { low: last?.limit_low ?? undefined, high: last?.limit_high ?? undefined },
  )
  return {
    ...fields,
    values: rows.length,
    has_more: found.length > rows.length,
    study: study ? mapStudy(study) : null,
  }
}

function mapStudy(study: GaugeStudy): GaugeStudyAnswer['study'] {
  const { anova } = study
  return {
    units: [...study.units],
    stations: [...study.stations],
    readings: study.readings,
    left_out: study.leftOut,
    pooled: study.pooled,
    repeatability: study.repeatability,
    reproducibility: study.reproducibility,
    gauge: study.gauge,
    unit_variation: study.unitVariation ?? null,
    total: study.total,
    tolerance_share: study.toleranceShare ?? null,
    distinct_categories: study.distinctCategories ?? null,
    p_values: {
      units: anova.rows.pValue ?? null,
      stations: anova.columns.pValue ?? null,
      interaction: anova.interaction.pValue ?? null,
    },
  }
}
