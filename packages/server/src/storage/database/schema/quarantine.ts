export interface QuarantineEntriesTable {
  id: number
  public_id: string
  procedure_id: number
  /** As it was called when the entry was made; it may be an earlier name of another one now. */
  test_id: number
  /** Null for any error. */
  fingerprint: string | null
  owner: string
  reason: string
  link: string | null
  /** The entry is live until then. */
  ends_at_us: number
  created_at_us: number
  created_by_user_id: number
  extended_at_us: number | null
  extended_by_user_id: number | null
  /** Who ended it before its time. */
  ended_by_user_id: number | null
}
