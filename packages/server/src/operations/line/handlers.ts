import type { Handlers } from '../call/handler'
import { getGaugeStudy } from '../../record/results/line/gauge'
import { getRolledYields } from '../../record/results/line/rolled-yields'
import { getLineMeasurement } from '../../record/results/line/measurement'
import { listLineProcedures } from '../../record/results/line/procedures'
import { listWhereUsed } from '../../record/results/line/where-used'
import { listLineFailures, listYields } from '../../record/results/line/yields'
import { getLineUnit } from './get-line-unit'

export const LINE_HANDLERS: Handlers<
  | 'listLineProcedures'
  | 'listYields'
  | 'listLineFailures'
  | 'getLineMeasurement'
  | 'getGaugeStudy'
  | 'listWhereUsed'
  | 'getLineUnit'
  | 'getRolledYields'
> = {
  listLineProcedures: ({ context, query }) => listLineProcedures(context, query),
  listYields: ({ context, query }) => listYields(context, query),
  listLineFailures: ({ context, query }) => listLineFailures(context, query),
  getLineMeasurement: ({ context, query }) => getLineMeasurement(context, query),
  getGaugeStudy: ({ context, query }) => getGaugeStudy(context, query),
  listWhereUsed: ({ context, query }) => listWhereUsed(context, query),
  getLineUnit: ({ context, query }) => getLineUnit(context, query.serial_number),
  getRolledYields: ({ context, query }) => getRolledYields(context, query),
}
