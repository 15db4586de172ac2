import * as z from 'zod'
import { MAX_QUARANTINE_DAYS } from './limits'
import { optional } from '../optional'
import { isStorable, UNSTORABLE_MESSAGE } from '../text'
import { MAX_ADDRESS_LENGTH, MAX_SHORT_LENGTH } from '../text-limits'
import { IdentifierSchema, IdSchema } from '../text-schema'
import { TimestampSchema } from '../time-schema'
import { ReturnedTimeSchema } from './common'
import { FilterTextSchema, pageOf, pageQueryFields, QueryBooleanSchema, queryList } from './page'
import { TestReferenceSchema } from './test'
import { FINGERPRINT } from './test-facts'

const MAX_REASON_LENGTH = 2_000

const FingerprintSchema = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')

const OwnerSchema = shortText(MAX_SHORT_LENGTH).meta({
  description: 'Who answers for it, such as @cart-team',
})
const ReasonSchema = shortText(MAX_REASON_LENGTH)
const LinkSchema = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
  .max(MAX_ADDRESS_LENGTH)
  .refine(isStorable, UNSTORABLE_MESSAGE)
  .meta({ description: 'Where it is worked on, such as the address of an issue' })
const EndSchema = TimestampSchema.meta({
  description: `In the future, and at most ${MAX_QUARANTINE_DAYS} days from now`,
})

function shortText(maxLength: number) {
  return z.string().trim().min(1).max(maxLength).refine(isStorable, UNSTORABLE_MESSAGE)
}

export const QuarantineEntrySchema = z.object({
  id: z.string(),
  test: TestReferenceSchema.meta({ description: 'As it is called now' }),
  fingerprint: z
    .string()
    .nullable()
    .meta({ description: `${FINGERPRINT}; null for any error` }),
  message: z
    .string()
    .nullable()
    .meta({ description: 'Of the error with this fingerprint, where one is on record' }),
  owner: z.string(),
  reason: z.string(),
  link: z.string().nullable(),
  ends_at: ReturnedTimeSchema,
  is_live: z.boolean(),
  created_at: ReturnedTimeSchema,
  created_by: z.string().nullable().meta({ description: 'Name of the user, else their e-mail address' }),
  extended_at: ReturnedTimeSchema.nullable(),
  extended_by: z.string().nullable(),
  ended_by: z.string().nullable().meta({ description: 'Who ended it before its time' }),
  failures: z.int().meta({
    description:
      'Runs since created_at, and before ends_at, in which an attempt of the test failed with this as its first error',
  }),
})
export type QuarantineEntry = z.output<typeof QuarantineEntrySchema>

export const ListQuarantineQuerySchema = z.object({
  ...pageQueryFields,
  procedure_ids: queryList(FilterTextSchema),
  test_ids: queryList(FilterTextSchema),
  fingerprints: queryList(FilterTextSchema).meta({ description: 'Entries for any error are left out' }),
  ended: QueryBooleanSchema.meta({ description: 'Also entries that have ended' }),
})
export type ListQuarantineQuery = z.output<typeof ListQuarantineQuerySchema>
export const QuarantinePageSchema = pageOf(QuarantineEntrySchema)

/** `POST /v2/quarantine`: for one error of the test, or by explicit choice for any. */
export const AddToQuarantineRequestSchema = z
  .object({
    test_id: IdSchema,
    fingerprint: optional(FingerprintSchema).meta({ description: FINGERPRINT }),
    any_error: z.boolean().default(false),
    owner: OwnerSchema,
    reason: ReasonSchema,
    link: optional(LinkSchema),
    ends_at: EndSchema,
  })
  .refine(({ fingerprint, any_error: isAny }) => isAny === (fingerprint === undefined), {
    path: ['fingerprint'],
    message: 'must be sent, or any_error as true, and not both',
  })
export type AddToQuarantineRequest = z.output<typeof AddToQuarantineRequestSchema>

/** `PATCH /v2/quarantine/{id}`: what is absent stays; an empty link removes it. */
export const UpdateQuarantineRequestSchema = z.object({
  owner: optional(OwnerSchema),
  reason: optional(ReasonSchema),
  link: optional(z.union([z.literal(''), LinkSchema])),
  ends_at: optional(EndSchema),
})
export type UpdateQuarantineRequest = z.output<typeof UpdateQuarantineRequestSchema>

export const GetQuarantineListQuerySchema = z.object({ procedure_id: IdentifierSchema })

/**
 * `signature` is HMAC-SHA256 as base64url of the UTF-8 bytes of `list`. Its key is the text that the service stores of the API key
 * of the request: the 43 characters of SHA-256 of the API key as base64url. For the API key `rl_station_` and 43 times `A`, the
 * list `{"entries":[]}` has the signature `AI-52qocEmlrnjpARUamrO8ZLipn250S4WppI5QA4l0`.
 */
export const SignedQuarantineListSchema = z.object({
  list: z.string().meta({ description: 'JSON of a QuarantineList' }),
  signature: z.string().meta({
    description: 'HMAC-SHA256 of list as base64url; its key is SHA-256 of the API key as base64url',
  }),
})
export type SignedQuarantineList = z.output<typeof SignedQuarantineListSchema>

/** How long a signed list may be used after `issued_at`. */
export const QUARANTINE_LIST_HOURS = 24

/** The live entries of a procedure. A test that was renamed has an item for each of its names, with the same id. */
export const QuarantineListSchema = z.object({
  procedure_id: z.string().meta({ description: 'As the request named it' }),
  issued_at: ReturnedTimeSchema,
  entries: z.array(
    z.object({
      id: z.string(),
      project: z.string().nullable(),
      file: z.string().nullable(),
      name: z.string(),
      fingerprint: z.string().nullable().meta({ description: 'Null for any error' }),
      ends_at: ReturnedTimeSchema,
    }),
  ),
})
export type QuarantineList = z.output<typeof QuarantineListSchema>
