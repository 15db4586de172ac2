export interface PersonColumns {
  user_public_id: string | null
  user_name: string | null
  user_email: string | null
}

/** The user that a record names, from the columns of a left join. */
export function mapPerson(
  row: PersonColumns,
): { id: string; name: string | null; email: string | null } | null {
  if (row.user_public_id === null) return null
  return { id: row.user_public_id, name: row.user_name, email: row.user_email }
}
