import type { User } from '@runledger/protocol'
import type { UsersTable } from '../database/schema/access'

export function mapUser({ public_id, name, email }: UsersTable): User {
  return { id: public_id, name, email, image: null }
}
