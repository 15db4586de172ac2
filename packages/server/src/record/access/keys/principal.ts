import { type Access, mayActAs, type Role } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../base/clock'
import type { KeyGenerator } from '../../../storage/database/keys'
import { HttpError } from '../../../base/errors'

export type Principal = UserPrincipal | StationPrincipal | ProjectPrincipal | AnonymousPrincipal

export interface UserPrincipal {
  kind: 'user'
  userId: number
  role: Role
  /** The key of the request, or the one that opened the session; null without one. */
  keyId: number | null
  /** Undefined for a session. */
  keyHash?: KeyHash
  sessionHash?: string
}

export interface StationPrincipal {
  kind: 'station'
  stationId: number
  keyHash?: KeyHash
}

/** Creates runs of one procedure, and reads nothing. */
export interface ProjectPrincipal {
  kind: 'project'
  procedureId: number
  keyId: number
  keyPublicId: string
  keyHash?: KeyHash
}

/** A request without a key, if the operator allows anonymous viewing. Only operations of `isOpenToAnyone` get it. */
export interface AnonymousPrincipal {
  kind: 'anonymous'
  keyHash?: never
}

type KeyHash = string

/** The scope of idempotency keys: it outlives the regeneration of an API key. */
export function principalOwner(principal: Principal): string {
  if (principal.kind === 'user') return `user:${principal.userId}`
  if (principal.kind === 'anonymous') return 'anonymous'
  return principal.kind === 'station' ? `station:${principal.stationId}` : `project:${principal.procedureId}`
}

export interface CreatorColumns {
  created_by_user_id: number | null
  created_by_station_id: number | null
}

/** Both are null for records that a project key created. */
export function creatorColumns(principal: Principal): CreatorColumns {
  return {
    created_by_user_id: principal.kind === 'user' ? principal.userId : null,
    created_by_station_id: principal.kind === 'station' ? principal.stationId : null,
  }
}

/** The station or the procedure of a key that is no user key. */
export interface KeyOwner {
  column: 'station_id' | 'procedure_id'
  id: number
}

/** Exactly one is set, except for files that a project key sent in a run. */
export interface UploaderColumns extends CreatorColumns {
  created_by_procedure_id: number | null
}

/** The project keys of a procedure share their uploads. */
export function uploaderColumns(principal: Principal): UploaderColumns {
  return {
    ...creatorColumns(principal),
    created_by_procedure_id: principal.kind === 'project' ? principal.procedureId : null,
  }
}

export function hasUploaded(principal: Principal, attachment: UploaderColumns): boolean {
  const own = uploaderColumns(principal)
  return (Object.keys(own) as (keyof UploaderColumns)[]).every((column) => own[column] === attachment[column])
}

/** The part of an operation that says who may use it. */
export type Rule =
  | { readonly access: 'none' }
  | { readonly access: 'station-key' }
  | { readonly access: Exclude<Access, 'none' | 'station-key'>; readonly role: Role }

/** The rule of pages and bytes that are no operations. */
export const READING: Rule = { access: 'any-key', role: 'viewer' }

/** True for what a viewer may read, except settings, the list of stations and uploads without a run. */
export function isOpenToAnyone(rule: Rule): boolean {
  const isReadByAll = rule.access === 'any-key' || rule.access === 'own-station'
  return isReadByAll && rule.role === 'viewer'
}

const OF_PROJECTS: readonly Access[] = ['every-key', 'linked-procedure', 'linked-run']

/**
 * See docs/interface.md#access. `operations/call/subjects.ts` refuses others' records to a station,
 * `operations/stations/handlers.ts` other stations.
 */
export function refuseRight(operation: Rule, principal: Principal): HttpError | undefined {
  if (operation.access === 'none') return undefined
  if (principal.kind === 'anonymous')
    return isOpenToAnyone(operation)
      ? undefined
      : new HttpError('UNAUTHORIZED', 'Sign in, or send an API key.')
  if (operation.access === 'station-key')
    return principal.kind === 'station'
      ? undefined
      : new HttpError('FORBIDDEN', 'Only a station key may do this: it answers for its own station.')
  if (principal.kind === 'user') return refuseRole(principal.role, operation.role)
  if (principal.kind === 'project')
    return OF_PROJECTS.includes(operation.access)
      ? undefined
      : new HttpError('FORBIDDEN', 'A project key may not do this: it only creates runs of its procedure.')
  return operation.access === 'user-key'
    ? new HttpError(
        'FORBIDDEN',
        `A station key may not do this. Use a user key with the role ${operation.role}.`,
      )
    : undefined
}

function refuseRole(role: Role, needed: Role): HttpError | undefined {
  if (mayActAs(role, needed)) return undefined
  return new HttpError(
    'FORBIDDEN',
    `This needs a key with the role ${needed}. This key has the role ${role}.`,
  )
}

export interface Creation extends CreatorColumns {
  id: number
  public_id: string
  created_at_us: number
}

export function createCreation(
  { nextKey, clock }: { nextKey: KeyGenerator; clock: Clock },
  principal: Principal,
): Creation {
  return createCreationAt({ nextKey, nowUs: clock(), principal })
}

/** For one of several records that are created at the same time. */
export function createCreationAt(scope: {
  nextKey: KeyGenerator
  nowUs: number
  principal: Principal
}): Creation {
  return {
    id: scope.nextKey(),
    public_id: randomUUID(),
    created_at_us: scope.nowUs,
    ...creatorColumns(scope.principal),
  }
}
