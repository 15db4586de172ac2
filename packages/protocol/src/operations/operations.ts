import type * as z from 'zod'
import { ATTACHMENT_OPERATIONS } from './attachment-operations'
import { AUDIT_OPERATIONS } from './audit-operations'
import { IMPORT_OPERATIONS } from './import-operations'
import { KEY_OPERATIONS } from './key-operations'
import type { Operation } from './operation'
import type { OperationName, OperationRoutes, PathParams } from './operation-routes'
import { RECORD_OPERATIONS } from './record-operations'
import { PROCEDURE_OPERATIONS } from './procedure-operations'
import { RUN_OPERATIONS } from './run-operations'
import { SERVICE_OPERATIONS } from './service-operations'
import { SHARD_OPERATIONS } from './shard-operations'
import { QUARANTINE_OPERATIONS } from './quarantine-operations'
import { SETTINGS_OPERATIONS } from './settings-operations'
import { STATION_OPERATIONS } from './station-operations'
import { USER_OPERATIONS } from './user-operations'
import { BATCH_OPERATIONS } from './batch-operations'
import { BUILD_OPERATIONS } from './build-operations'
import { HISTORY_OPERATIONS } from './history-operations'
import { LINE_OPERATIONS } from './line-operations'
import { PART_OPERATIONS } from './part-operations'
import { UNIT_OPERATIONS } from './unit-operations'
import { V1_OPERATIONS } from './v1-operations'
import { WEBHOOK_OPERATIONS } from './webhook-operations'

/**
 * The whole interface: what every operation takes and returns, and who may use it. The service checks requests with it;
 * the OpenAPI description and clients' types are made from it.
 */
export const OPERATIONS = {
  ...V1_OPERATIONS,
  ...RUN_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...HISTORY_OPERATIONS,
  ...QUARANTINE_OPERATIONS,
  ...LINE_OPERATIONS,
  ...BUILD_OPERATIONS,
  ...SHARD_OPERATIONS,
  ...PART_OPERATIONS,
  ...BATCH_OPERATIONS,
  ...UNIT_OPERATIONS,
  ...ATTACHMENT_OPERATIONS,
  ...IMPORT_OPERATIONS,
  ...PROCEDURE_OPERATIONS,
  ...STATION_OPERATIONS,
  ...KEY_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...USER_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...SERVICE_OPERATIONS,
} as const satisfies Record<OperationName, Operation>

export type Operations = typeof OPERATIONS

type SchemaOf<Name extends OperationName, Part extends 'query' | 'body'> = Operations[Name] extends {
  readonly [Key in Part]: infer Schema extends z.ZodType
}
  ? Schema
  : z.ZodUndefined

/** The checked parameters, query and body; undefined where an operation has none. */
export interface CheckedInput<Name extends OperationName> {
  params: PathParams<OperationRoutes[Name]['path']>
  query: z.output<SchemaOf<Name, 'query'>>
  body: z.output<SchemaOf<Name, 'body'>>
}

type PartInput<Key extends string, Value> = [Value] extends [undefined]
  ? unknown
  : undefined extends Value
    ? { [Name in Key]?: Value }
    : Partial<Value> extends Value
      ? { [Name in Key]?: Value }
      : { [Name in Key]: Value }

export type OperationInput<Name extends OperationName> = ([
  keyof PathParams<OperationRoutes[Name]['path']>,
] extends [never]
  ? unknown
  : { params: PathParams<OperationRoutes[Name]['path']> }) &
  PartInput<'query', z.input<SchemaOf<Name, 'query'>>> &
  PartInput<'body', z.input<SchemaOf<Name, 'body'>>>

export type OperationResult<Name extends OperationName> = z.input<Operations[Name]['response']>

export type OperationResponse<Name extends OperationName> = z.output<Operations[Name]['response']>
