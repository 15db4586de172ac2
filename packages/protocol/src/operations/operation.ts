import type * as z from 'zod'
import type { ErrorCode } from '../error'

/** Who may use an operation (docs/interface.md#access). */
export type Access = KeyAccess | SubjectAccess

/**
 * By the key alone. `none`: no key is asked for. `any-key`: user and station keys alike. `user-key`, `station-key`: keys of
 * that kind, 403 for the other. `own-station`: a user key for all, a station key for its own station. `linked-station`: a user
 * key, and the key of a station that some procedure is linked to.
 */
export type KeyAccess = 'none' | 'any-key' | 'user-key' | 'station-key' | 'own-station' | 'linked-station'

/**
 * A user key for all, a station key for its own. `linked-procedure`: a procedure that is linked to the station.
 * `linked-run`: a run of such a procedure. `own-unit`: a unit that the station created or that a run of its own is about.
 */
export type SubjectAccess = 'linked-procedure' | 'linked-run' | 'own-unit'

/** Where a request names the procedure, the run or the unit on which its access depends; `file`: in a file that it names. */
export interface Subject {
  readonly in: 'params' | 'body' | 'file'
  readonly fields: readonly string[]
}

/** What the table of operations says of one, beside its method and path. */
export type Operation = OperationFacts &
  ({ readonly access: KeyAccess } | { readonly access: SubjectAccess; readonly subject: Subject })

interface OperationFacts {
  readonly tag: string
  /** A sentence without a full stop. */
  readonly summary: string
  /** Codes that this operation answers beside those that follow from its access and its schemas (`listErrorCodes`). */
  readonly errors: readonly ErrorCode[]
  /** Parameters of the path that are not just any text. */
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** A body may be left out. */
  readonly isBodyOptional?: boolean
  /** Request headers that it reads, by lower-case name, with what each is for. */
  readonly headers?: Readonly<Record<string, string>>
  readonly response: z.ZodType
}

/** Every code that an operation may answer: its own, and those that follow from its access and its schemas. */
export function listErrorCodes({ access, errors, params, query, body }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [
    ...(params || query || body ? (['BAD_REQUEST'] as const) : []),
    ...(body ? (['PARSE_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(access === 'none' ? [] : (['UNAUTHORIZED'] as const)),
    ...(access === 'none' || access === 'any-key' ? [] : (['FORBIDDEN'] as const)),
    ...errors,
    ...(access === 'none' ? [] : (['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const)),
  ]
  return [...new Set(codes)]
}
