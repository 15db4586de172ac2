import type { Access } from '@runledger/protocol'
import { HttpError } from '../errors'
import type { Principal } from './principal'

/** Refuses a key of the wrong kind (contract decisions, Access). What `linked` means, the operation itself checks. */
export function checkAccess(access: Access, { kind }: Principal): void {
  if (access === 'user-key' && kind !== 'user')
    throw new HttpError('FORBIDDEN', 'A station key may not do this. Use a user key.')
  if (access === 'station-key' && kind !== 'station')
    throw new HttpError('FORBIDDEN', 'Only a station key may do this: it answers for its own station.')
}
