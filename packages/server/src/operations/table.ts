import type { OperationName } from '@runledger/protocol'
import type { Handlers } from './call/handler'
import { ATTACHMENT_HANDLERS } from './attachments/handlers'
import { AUDIT_HANDLERS } from './audit/handlers'
import { BATCH_HANDLERS } from './batches/handlers'
import { BUILD_HANDLERS } from './builds/handlers'
import { HISTORY_HANDLERS } from './history/handlers'
import { LINE_HANDLERS } from './line/handlers'
import { IMPORT_HANDLERS } from './imports/handlers'
import { KEY_HANDLERS } from './keys/handlers'
import { PART_HANDLERS } from './parts/handlers'
import { PROCEDURE_HANDLERS } from './procedures/handlers'
import { QUARANTINE_HANDLERS } from './quarantine/handlers'
import { RUN_HANDLERS } from './runs/handlers'
import { LOG_HANDLERS } from './logs/handlers'
import { MEASUREMENT_HANDLERS } from './measurements/handlers'
import { PHASE_HANDLERS } from './phases/handlers'
import { SESSION_HANDLERS } from './sessions/handlers'
import { SETTINGS_HANDLERS } from './settings/handlers'
import { SHARD_HANDLERS } from './shards/handlers'
import { STATION_HANDLERS } from './stations/handlers'
import { TEST_ERROR_HANDLERS } from './test-errors/handlers'
import { UNIT_HANDLERS } from './units/handlers'
import { USER_HANDLERS } from './users/handlers'
import { VERDICT_HANDLERS } from './verdicts/handlers'
import { WEBHOOK_HANDLERS } from './webhooks/handlers'
import { SERVICE_HANDLERS } from './service/handlers'

export const HANDLERS: Handlers<OperationName> = {
  ...RUN_HANDLERS,
  ...PHASE_HANDLERS,
  ...MEASUREMENT_HANDLERS,
  ...LOG_HANDLERS,
  ...TEST_ERROR_HANDLERS,
  ...VERDICT_HANDLERS,
  ...BUILD_HANDLERS,
  ...HISTORY_HANDLERS,
  ...QUARANTINE_HANDLERS,
  ...LINE_HANDLERS,
  ...PART_HANDLERS,
  ...BATCH_HANDLERS,
  ...UNIT_HANDLERS,
  ...ATTACHMENT_HANDLERS,
  ...IMPORT_HANDLERS,
  ...PROCEDURE_HANDLERS,
  ...STATION_HANDLERS,
  ...KEY_HANDLERS,
  ...USER_HANDLERS,
  ...WEBHOOK_HANDLERS,
  ...SETTINGS_HANDLERS,
  ...AUDIT_HANDLERS,
  ...SHARD_HANDLERS,
  ...SESSION_HANDLERS,
  ...SERVICE_HANDLERS,
}
