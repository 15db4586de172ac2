import type * as z from 'zod'
import type { ErrorCode } from '../error'

/**
 * Who may use an operation (contract decisions, Access). `none`: no key is asked for. `any-key`: user and station keys
 * alike. `linked`: station keys only for what belongs to procedures linked to the station. `user-key`, `station-key`:
 * keys of that kind, 403 for the other.
 */
export type Access = 'none' | 'any-key' | 'linked' | 'user-key' | 'station-key'

/** What the table of operations says of one, beside its method and path. */
export interface Operation {
  readonly tag: string
  /** A sentence without a full stop. */
  readonly summary: string
  readonly access: Access
  /** Codes that this operation answers beside those that follow from its access and its schemas (`listErrorCodes`). */
  readonly errors: readonly ErrorCode[]
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** A body may be left out. */
  readonly isBodyOptional?: boolean
  /** Request headers that it reads, by lower-case name, with what each is for. */
  readonly headers?: Readonly<Record<string, string>>
  readonly response: z.ZodType
}

/** Every code that an operation may answer: its own, and those that follow from its access and its schemas. */
export function listErrorCodes({ access, errors, query, body }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [
    ...(query || body ? (['BAD_REQUEST'] as const) : []),
    ...(body ? (['PARSE_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(access === 'none' ? [] : (['UNAUTHORIZED'] as const)),
    ...(access === 'none' || access === 'any-key' ? [] : (['FORBIDDEN'] as const)),
    ...errors,
    ...(access === 'none' ? [] : (['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const)),
  ]
  return [...new Set(codes)]
}
