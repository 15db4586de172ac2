import type * as z from 'zod'
import type { ErrorCode } from '../error'
import type { Role } from '../resources/role'

/** Who may use an operation (docs/interface.md#access). */
export type Access = KeyAccess | SubjectAccess

/**
 * By the key alone. `none`: without a key. `every-key`: user, station and project keys. `any-key`: user and station keys.
 * `user-key`, `station-key`: only keys of that kind, 403 for others. `own-station`: user keys; a station key for its own station. `linked-station`: user keys; keys of stations
 * that are linked to a procedure.
 */
export type KeyAccess =
  'none' | 'every-key' | 'any-key' | 'user-key' | 'station-key' | 'own-station' | 'linked-station'

/**
 * User keys; station and project keys for their own. `linked-procedure`: a procedure linked to the station, or that of the
 * project key. `linked-run`: a run of such a procedure. `own-unit`: a unit that the station created or that one of its runs is about.
 */
export type SubjectAccess = 'linked-procedure' | 'linked-run' | 'own-unit'

/** Where a request names the procedure, run or unit that decides its access; `file`: in a file that it names. */
export interface Subject {
  readonly in: 'params' | 'body' | 'file'
  readonly fields: readonly string[]
}

/** What the table of operations says of one, beside its method and path. A user key needs `role`, or one that may do more. */
export type Operation = OperationFacts &
  (
    | { readonly access: 'none' }
    | { readonly access: 'station-key' }
    | { readonly access: Exclude<KeyAccess, 'none' | 'station-key'>; readonly role: Role }
    | { readonly access: SubjectAccess; readonly role: Role; readonly subject: Subject }
  )

interface OperationFacts {
  readonly tag: string
  /** A sentence without a full stop. */
  readonly summary: string
  /** Codes beside those that follow from its access and its schemas (`listErrorCodes`). */
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

/** All codes that an operation may respond with, those of its access and its schemas included. */
export function listErrorCodes({ access, errors, params, query, body }: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [
    ...(params || query || body ? (['BAD_REQUEST'] as const) : []),
    ...(body ? (['PARSE_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(access === 'none' ? [] : (['UNAUTHORIZED', 'FORBIDDEN'] as const)),
    ...errors,
    ...(access === 'none' ? [] : (['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE'] as const)),
  ]
  return [...new Set(codes)]
}
