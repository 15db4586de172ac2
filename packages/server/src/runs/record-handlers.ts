import type { Handlers } from '../http/handler'
import { getLog, listLogPage } from '../logs/list-logs'
import { getMeasurement } from '../measurements/get-measurement'
import { listMeasurementPage } from '../measurements/list-measurements'
import { getPhase } from '../phases/get-phase'
import { listPhasePage } from '../phases/list-phases'

export const RECORD_HANDLERS: Handlers<
  'listPhases' | 'getPhase' | 'listMeasurements' | 'getMeasurement' | 'listLogs' | 'getLog'
> = {
  listPhases: ({ context, query }) => listPhasePage(context, query),
  getPhase: ({ context, params }) => getPhase(context, params.id),
  listMeasurements: ({ context, query }) => listMeasurementPage(context, query),
  getMeasurement: ({ context, params }) => getMeasurement(context, params.id),
  listLogs: ({ context, query }) => listLogPage(context, query),
  getLog: ({ context, params }) => getLog(context, params.id),
}
