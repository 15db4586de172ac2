export interface ExecutionsTable {
  id: number
  /** The sender makes this UUID. */
  public_id: string
  procedure_id: number
  /** Null if a user reported it. */
  created_by_station_id: number | null
  /** Report variable `group` of its runs. */
  group_name: string
  /** As `metadata_values` has it. */
  group_digest: string
  /** By the clock of its machine. */
  started_at_us: number
  created_at_us: number
  /** When the service learned of the end; null until then. */
  ended_at_us: number | null
  missing_runs: number
  framework: string | null
  host: string | null
  shard_index: number | null
  shard_total: number | null
  environment: string | null
  ci_job: string | null
  ci_attempt: number
  ci_build_url: string | null
  git_branch: string | null
  git_commit: string | null
  repository: string | null
}
