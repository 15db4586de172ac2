import type { Handlers } from '../http/handler'
import { getLog, listLogPage } from '../logs/handlers'
import { getMeasurement, listMeasurementPage } from '../measurements/handlers'
import { getPhase, listPhasePage } from '../phases/handlers'

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
