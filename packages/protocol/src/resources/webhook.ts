import * as z from 'zod'
import { listOf } from '../list-schema'
import { optional } from '../optional'
import { isStorable, UNSTORABLE_MESSAGE } from '../text'
import { MAX_ADDRESS_LENGTH } from '../text-limits'
import { IdentifierSchema } from '../text-schema'
import { BuildStateSchema } from './build'
import { NameSchema, ProcedureReferenceSchema, ReturnedTimeSchema } from './common'
import { pageOf, pageQueryFields } from './page'
import { RateSchema } from './rate'

/** Most webhooks of a service. */
export const MAX_WEBHOOKS = 50
/** Most procedures that one webhook names. */
const MAX_PROCEDURES = 100

export const WEBHOOK_FORMATS = ['json', 'slack'] as const
export const WebhookFormatSchema = z.enum(WEBHOOK_FORMATS)
export type WebhookFormat = z.output<typeof WebhookFormatSchema>

/** Events that a webhook can subscribe to. */
export const WEBHOOK_EVENTS = [
  'test.newly_failing',
  'test.fixed',
  'test.newly_flaky',
  'test.failing_in_a_row',
  'build.incomplete',
  'line.yield_below',
  'line.out_of_control',
] as const
export const WebhookEventSchema = z.enum(WEBHOOK_EVENTS)
export type WebhookEvent = z.output<typeof WebhookEventSchema>

/** Events, their ends, and the message of `testWebhook`. An end goes to every webhook that got its event. */
export const WEBHOOK_KINDS = [
  ...WEBHOOK_EVENTS,
  'build.completed',
  'line.yield_recovered',
  'line.in_control',
  'webhook.test',
] as const
export const WebhookKindSchema = z.enum(WEBHOOK_KINDS)
export type WebhookKind = z.output<typeof WebhookKindSchema>

const UrlSchema = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .max(MAX_ADDRESS_LENGTH)
  .refine(isStorable, UNSTORABLE_MESSAGE)
  .refine((url) => !/^https?:\/*[^/?#]*@/i.test(url), 'must not have a user name or a password')

const EventsSchema = listOf(WebhookEventSchema)
  .max(WEBHOOK_EVENTS.length)
  .meta({ description: 'Empty for all' })
const ProcedureIdsSchema = listOf(IdentifierSchema)
  .max(MAX_PROCEDURES)
  .meta({ description: 'Identifiers or UUIDs; empty for all' })
const YieldBelowSchema = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'Limit of the first-pass yield for `line.yield_below`; 0 for none' })

export const WebhookSchema = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string().meta({ description: 'Only its origin, because the rest may be a secret' }),
  format: WebhookFormatSchema,
  events: z.array(WebhookEventSchema).meta({ description: 'Empty for all' }),
  procedures: z.array(ProcedureReferenceSchema).nullable().meta({
    description: 'null for all; empty when each of them was deleted',
  }),
  yield_below: z.number().nullable(),
  enabled: z.boolean(),
  created_at: ReturnedTimeSchema,
  created_by: z.string().nullable().meta({ description: 'Name of the user, else their e-mail address' }),
})
export type Webhook = z.output<typeof WebhookSchema>

export const ListWebhooksQuerySchema = z.object(pageQueryFields)
export type ListWebhooksQuery = z.output<typeof ListWebhooksQuerySchema>
export const WebhookPageSchema = pageOf(WebhookSchema)

export const CreateWebhookRequestSchema = z.object({
  name: NameSchema,
  url: UrlSchema,
  format: WebhookFormatSchema.default('json'),
  events: optional(EventsSchema),
  procedure_ids: optional(ProcedureIdsSchema),
  yield_below: optional(YieldBelowSchema),
})
export type CreateWebhookRequest = z.output<typeof CreateWebhookRequestSchema>

export const CreatedWebhookSchema = WebhookSchema.extend({
  secret: z.string().meta({
    description: 'Signs the messages of the format `json`. Shown only in this response',
  }),
})
export type CreatedWebhook = z.output<typeof CreatedWebhookSchema>

/** `PATCH /v2/webhooks/{id}`: what is absent stays. */
export const UpdateWebhookRequestSchema = z.object({
  name: optional(NameSchema),
  url: optional(UrlSchema),
  format: optional(WebhookFormatSchema),
  events: optional(EventsSchema),
  procedure_ids: optional(ProcedureIdsSchema),
  yield_below: optional(YieldBelowSchema),
  enabled: optional(z.boolean()),
})
export type UpdateWebhookRequest = z.output<typeof UpdateWebhookRequestSchema>

export const WEBHOOK_DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const

export const WebhookDeliverySchema = z.object({
  id: z.string().meta({ description: 'The header `webhook-id` of the message' }),
  kind: WebhookKindSchema,
  state: z.enum(WEBHOOK_DELIVERY_STATES),
  created_at: ReturnedTimeSchema,
  attempts: z.int(),
  last_status: z.int().nullable().meta({ description: 'HTTP status of the last attempt' }),
  last_error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
  next_attempt_at: ReturnedTimeSchema.nullable(),
  delivered_at: ReturnedTimeSchema.nullable(),
})
export type WebhookDelivery = z.output<typeof WebhookDeliverySchema>

export const ListWebhookDeliveriesQuerySchema = z.object(pageQueryFields)
export type ListWebhookDeliveriesQuery = z.output<typeof ListWebhookDeliveriesQuerySchema>
export const WebhookDeliveryPageSchema = pageOf(WebhookDeliverySchema)

/** Most tests that one message lists. */
export const MAX_WEBHOOK_TESTS = 20

const definitionField = {
  definition: z.string().meta({ description: 'What the numbers mean, in a sentence' }),
}
const lineFields = {
  procedure: ProcedureReferenceSchema,
  url: z.string().meta({ description: 'The page of the procedure' }),
  days: z.int().meta({ description: 'The period: this many days, the last one included' }),
  ...definitionField,
}
const BuildOfMessageSchema = z.object({
  group: z.string(),
  url: z.string(),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
})
const TestsDataSchema = z.object({
  procedure: ProcedureReferenceSchema,
  build: BuildOfMessageSchema,
  tests: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      file: z.string().nullable(),
      url: z.string(),
      error: z.string().nullable().meta({ description: 'First line of the message' }),
    }),
  ),
  more: z.int().meta({ description: `Tests beyond the first ${MAX_WEBHOOK_TESTS}` }),
  ...definitionField,
})
const BuildDataSchema = z.object({
  procedure: ProcedureReferenceSchema,
  build: BuildOfMessageSchema,
  state: BuildStateSchema,
  missing: z.array(z.string()).meta({ description: 'As `GET /v2/builds/{group}` has it' }),
})
const YieldDataSchema = z.object({ ...lineFields, first_pass: RateSchema, limit: z.number() })
const ControlDataSchema = z.object({
  ...lineFields,
  phase: z.string(),
  measurement: z.string(),
  values: z.int().meta({ description: 'Sample size' }),
  violating: z.int().meta({ description: 'How many of them break a rule' }),
})

function messageOf<const Kind extends WebhookKind, Data extends z.ZodType>(
  types: readonly Kind[],
  data: Data,
) {
  return z.object({ type: z.enum(types), timestamp: ReturnedTimeSchema, data })
}

/** The body of a message of the format `json`. */
export const WebhookMessageSchema = z.discriminatedUnion('type', [
  messageOf(
    ['test.newly_failing', 'test.fixed', 'test.newly_flaky', 'test.failing_in_a_row'],
    TestsDataSchema,
  ),
  messageOf(['build.incomplete', 'build.completed'], BuildDataSchema),
  messageOf(['line.yield_below', 'line.yield_recovered'], YieldDataSchema),
  messageOf(['line.out_of_control', 'line.in_control'], ControlDataSchema),
  messageOf(['webhook.test'], z.object({ webhook: z.object({ id: z.string(), name: z.string() }) })),
])
export type WebhookMessage = z.output<typeof WebhookMessageSchema>

/** The data of messages of a kind. */
export type WebhookData<Kind extends WebhookKind, Message = WebhookMessage> = Message extends {
  type: infer Type
  data: infer Data
}
  ? Kind extends Type
    ? Data
    : never
  : never
