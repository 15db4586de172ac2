import type { OperationName } from '@runledger/protocol'
import { ATTACHMENT_HANDLERS } from '../attachments/attachment-handlers'
import { KEY_HANDLERS } from '../keys/key-handlers'
import { BATCH_HANDLERS } from '../batches/batch-handlers'
import { PART_HANDLERS } from '../parts/part-handlers'
import { PROCEDURE_HANDLERS } from '../procedures/procedure-handlers'
import { RECORD_HANDLERS } from '../runs/record-handlers'
import { RUN_HANDLERS } from '../runs/run-handlers'
import { SESSION_HANDLERS } from '../sessions/session-handlers'
import { SETTINGS_HANDLERS } from '../settings/settings-handlers'
import { STATION_HANDLERS } from '../stations/station-handlers'
import { USER_HANDLERS } from '../users/user-handlers'
import { UNIT_HANDLERS } from '../units/unit-handlers'
import type { Handlers } from './handler'
import { SERVICE_HANDLERS } from './service-handlers'

/** What does each operation of the interface. */
export const HANDLERS: Handlers<OperationName> = {
  ...RUN_HANDLERS,
  ...RECORD_HANDLERS,
  ...PART_HANDLERS,
  ...BATCH_HANDLERS,
  ...UNIT_HANDLERS,
  ...ATTACHMENT_HANDLERS,
  ...PROCEDURE_HANDLERS,
  ...STATION_HANDLERS,
  ...KEY_HANDLERS,
  ...USER_HANDLERS,
  ...SETTINGS_HANDLERS,
  ...SESSION_HANDLERS,
  ...SERVICE_HANDLERS,
}
