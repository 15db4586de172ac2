import * as z from 'zod'

/** Every error code with the status that accompanies it (docs/interface.md#errors). */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  PARSE_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export const ErrorIssueSchema = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
})
export type ErrorIssue = z.output<typeof ErrorIssueSchema>

/** The v2 error record (docs/interface.md#errors). */
export const V2ErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  issues: z.array(ErrorIssueSchema),
})
export type V2Error = z.output<typeof V2ErrorSchema>

/** The v1 error record, a superset that clients of every age can read (docs/interface.md#errors). */
export const V1ErrorSchema = V2ErrorSchema.extend({
  status_code: z.int(),
  error: z.object({ message: z.string() }),
})
export type V1Error = z.output<typeof V1ErrorSchema>

/** What a client may count on in an error of either interface, or of a service that knows only one of them. */
export const AnyErrorSchema = z.object({
  message: z.string(),
  code: z.string().optional().catch(undefined),
  status_code: z.number().optional().catch(undefined),
  issues: z.array(ErrorIssueSchema).optional().catch(undefined),
})
export type AnyError = z.output<typeof AnyErrorSchema>

export const VALIDATION_FAILED_MESSAGE = 'Input validation failed'
