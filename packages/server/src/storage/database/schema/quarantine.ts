export interface QuarantineEntriesTable {
  id: number
  public_id: string
  procedure_id: number
  /** The test under its name at that time. The name may since have become an earlier name of another test. */
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
