import type { ContractCase } from '../contract-case'
import { ATTACHMENT_CASES } from './attachment-cases'
import { AUDIT_CASES } from './audit-cases'
import { BATCH_CASES } from './batch-cases'
import { BUILD_CASES } from './build-cases'
import { CREATE_RUN_CASES } from './create-run-cases'
import { HISTORY_CASES } from './history-cases'
import { LINE_CASES } from './line-cases'
import { IMPORT_CASES } from './import-cases'
import { KEY_CASES } from './key-cases'
import { PART_CASES } from './part-cases'
import { PROCEDURE_CASES } from './procedure-cases'
import { QUARANTINE_CASES } from './quarantine-cases'
import { RECORD_CASES } from './record-cases'
import { RUN_CASES } from './run-cases'
import { SETTINGS_CASES } from './settings-cases'
import { STATION_CASES } from './station-cases'
import { UNIT_CASES } from './unit-cases'
import { USER_CASES } from './user-cases'
import { V1_CASES } from './v1-cases'
import { WEBHOOK_CASES } from './webhook-cases'

/** What every operation answers, beside what `generateCases` makes. */
export const CASES: readonly ContractCase[] = [
  ...CREATE_RUN_CASES,
  ...RUN_CASES,
  ...RECORD_CASES,
  ...BUILD_CASES,
  ...HISTORY_CASES,
  ...QUARANTINE_CASES,
  ...LINE_CASES,
  ...PART_CASES,
  ...BATCH_CASES,
  ...UNIT_CASES,
  ...V1_CASES,
  ...ATTACHMENT_CASES,
  ...IMPORT_CASES,
  ...PROCEDURE_CASES,
  ...STATION_CASES,
  ...KEY_CASES,
  ...WEBHOOK_CASES,
  ...USER_CASES,
  ...SETTINGS_CASES,
  ...AUDIT_CASES,
]
