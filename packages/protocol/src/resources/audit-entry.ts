import * as z from 'zod'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { AUDIT_SUBJECTS } from './choices'
import { ReturnedTimeSchema } from './common'
import { FilterTextSchema, pageOf, pageQueryFields, queryList } from './page'

const AuditSubjectSchema = z.enum(AUDIT_SUBJECTS)
export type AuditSubject = z.output<typeof AuditSubjectSchema>

/** `service`: what it did without a request, such as disabling a webhook. */
const AuditActorKindSchema = z.enum(['user', 'station', 'project', 'service'])
export type AuditActorKind = z.output<typeof AuditActorKindSchema>

/** Only what changed; null when there was, or is, nothing. */
const AuditFactsSchema = z.record(z.string(), z.unknown()).nullable()

export const AuditEntrySchema = z.object({
  id: z.string(),
  created_at: ReturnedTimeSchema,
  operation: z
    .string()
    .meta({ description: 'Name of the operation, `signIn`, `signOut`, or `upkeep` by the service' }),
  actor: z.object({
    kind: AuditActorKindSchema,
    /** Null for the service. */
    id: z.string().nullable(),
    /** At that time. */
    name: z.string().nullable(),
    /** The key of the request, or of its session. */
    key: z.object({ id: z.string(), name: z.string() }).nullable(),
  }),
  address: z.string().nullable().meta({ description: 'IP address of the client' }),
  subject: z.object({ kind: AuditSubjectSchema, id: z.string(), name: z.string() }),
  before: AuditFactsSchema,
  after: AuditFactsSchema,
})
export type AuditEntry = z.output<typeof AuditEntrySchema>

export const ListAuditEntriesQuerySchema = z.object({
  ...pageQueryFields,
  search_query: optional(FilterTextSchema).meta({
    description: 'In the names of who changed something, and of what changed',
  }),
  operations: queryList(FilterTextSchema),
  actor_ids: queryList(FilterTextSchema),
  subject_kinds: queryList(AuditSubjectSchema),
  subject_ids: queryList(FilterTextSchema),
  created_after: optional(TimestampSchema),
  created_before: optional(TimestampSchema),
})
export type ListAuditEntriesQuery = z.output<typeof ListAuditEntriesQuerySchema>

export const AuditEntryPageSchema = pageOf(AuditEntrySchema)
