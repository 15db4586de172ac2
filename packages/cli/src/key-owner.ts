import { ApiError, type Service } from '@runledger/core/tools'
import { KEY_PREFIX, type Role } from '@runledger/protocol'

export type KeyOwner =
  /** Services before roles give none. */
  { kind: 'user'; role: Role | undefined } | { kind: 'station' } | { kind: 'project' }

/** @throws ApiError when the service refuses the key, NetworkError when it does not answer */
export async function findKeyOwner(client: Service['client'], key: string | undefined): Promise<KeyOwner> {
  try {
    const [user] = await client.listUsers({ query: { current: true } })
    return user ? { kind: 'user', role: user.role } : { kind: 'station' }
  } catch (error) {
    // It may not list users.
    if (isForbidden(error) && key?.startsWith(KEY_PREFIX.project)) return { kind: 'project' }
    throw error
  }
}

export const createsRuns = (owner: KeyOwner): boolean => owner.kind !== 'user' || owner.role !== 'viewer'

export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.statusCode === 403
