export interface BlobsTable {
  sha256: string
  size_bytes: number
  reference_count: number
}

export interface AttachmentsTable {
  id: number
  public_id: string
  name: string
  content_type: string | null
  /** Null until the bytes are received. */
  sha256: string | null
  run_id: number | null
  unit_id: number | null
  /** The run that it is linked to as soon as its bytes are received (one-shot upload). */
  link_to_run_id: number | null
  link_to_unit_id: number | null
  created_at_us: number
  created_by_user_id: number | null
  created_by_station_id: number | null
  received_at_us: number | null
}
