import type { Days } from '../software/plan'
import {
  BAD_BATCH,
  DRIFT,
  GOLDEN_UNIT,
  LINE,
  ODD_STATION,
  RETESTED_UNIT,
  SOFT_MEASUREMENT,
} from './catalogue'
import { type BoardPlan, findBadBatch } from './plan-line'

export interface PlantedLine {
  procedure: string
  part: string
  drift: { measurement: string; sinceMs: number; by: number }
  badBatch: { measurement: string; batch: string; boards: number }
  oddStation: { measurement: string; station: string; by: number }
  retested: { serialNumber: string; measurement: string; failures: number }
  /** A value outside its limits in a passed run. */
  soft: { serialNumber: string; measurement: string; value: number }
  golden: string
}

export function describeLine(boards: readonly BoardPlan[], days: Days): PlantedLine {
  const badBatch = findBadBatch(days)
  const retested = boards.find(({ isRetested }) => isRetested)
  const soft = boards.find(({ isSoft }) => isSoft)
  const drifting = boards.find(({ day }) => day >= Math.floor(days.count * DRIFT.at))
  return {
    procedure: LINE.finalTest.identifier,
    part: LINE.board,
    drift: { measurement: DRIFT.measurement, sinceMs: drifting?.startedAtMs ?? 0, by: DRIFT.by },
    badBatch: {
      measurement: BAD_BATCH.measurement,
      batch: badBatch,
      boards: boards.filter(({ batch }) => batch === badBatch).length,
    },
    oddStation: {
      measurement: ODD_STATION.measurement,
      station: LINE.stations[ODD_STATION.station],
      by: ODD_STATION.by,
    },
    retested: {
      serialNumber: retested?.serialNumber ?? '',
      measurement: RETESTED_UNIT.measurement,
      failures: RETESTED_UNIT.failures,
    },
    soft: {
      serialNumber: soft?.serialNumber ?? '',
      measurement: SOFT_MEASUREMENT.measurement,
      value: SOFT_MEASUREMENT.value,
    },
    golden: GOLDEN_UNIT,
  }
}
