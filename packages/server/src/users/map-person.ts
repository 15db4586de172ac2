import type { Person } from '@runledger/protocol'

export interface PersonColumns {
  user_public_id: string | null
  user_name: string | null
  user_email: string | null
}

/** The user that a record names, from the columns of a left join. */
export function mapPerson(row: PersonColumns): Person | null {
  if (row.user_public_id === null) return null
  return { id: row.user_public_id, name: row.user_name, email: row.user_email, image: null }
}
