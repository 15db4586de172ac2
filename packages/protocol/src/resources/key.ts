import * as z from 'zod'
import { optional } from '../optional'
import { IdSchema, TextSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { PersonSchema, ProcedureReferenceSchema, ReturnedTimeSchema, StationReferenceSchema } from './common'
import { pageOf, pageQueryFields } from './page'
import { RoleSchema } from './role'

export const KeyKindSchema = z.enum(['user', 'station', 'project'])
export type KeyKind = z.output<typeof KeyKindSchema>

/** The first characters of each kind of key. */
export const KEY_PREFIX = {
  user: 'rl_user_',
  station: 'rl_station_',
  project: 'rl_project_',
} as const satisfies Record<KeyKind, string>

/**
 * `POST /v2/keys`: a user key of the user `user_id`, by default of who asks and an admin's, a key of the station `station_id`, or a
 * key that only creates runs of `procedure_id`, a UUID or an identifier.
 */
export const CreateKeyRequestSchema = z.object({
  kind: KeyKindSchema,
  name: TextSchema.trim().min(1).max(255),
  role: optional(RoleSchema),
  user_id: optional(IdSchema),
  station_id: optional(IdSchema),
  procedure_id: optional(TextSchema.trim().min(1).max(255)),
  expires_at: optional(TimestampSchema),
})
export type CreateKeyRequest = z.output<typeof CreateKeyRequestSchema>

const keyFields = {
  id: z.string(),
  kind: KeyKindSchema,
  /** Null for station and project keys. */
  role: RoleSchema.nullable(),
  name: z.string(),
  /** Prefix and last four characters. */
  hint: z.string(),
  created_at: ReturnedTimeSchema,
  expires_at: ReturnedTimeSchema.nullable(),
  station: StationReferenceSchema.nullable(),
  procedure: ProcedureReferenceSchema.nullable(),
}

/** `key` is in this response alone. */
export const IssuedKeySchema = z.object({ ...keyFields, key: z.string() })
export type IssuedKey = z.output<typeof IssuedKeySchema>

export const ListKeysQuerySchema = z.object(pageQueryFields)
export type ListKeysQuery = z.output<typeof ListKeysQuerySchema>

export const KeyListItemSchema = z.object({
  ...keyFields,
  last_used_at: ReturnedTimeSchema.nullable(),
  revoked_at: ReturnedTimeSchema.nullable(),
  /** The owner of a user key; the issuer of another key. */
  created_by_user: PersonSchema.nullable(),
})
export type KeyListItem = z.output<typeof KeyListItemSchema>
export const KeyPageSchema = pageOf(KeyListItemSchema)
