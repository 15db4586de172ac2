export interface ShardPlansTable {
  id: number
  procedure_id: number
  /** Digest of the build, the suite and the number of shards. */
  digest: string
  /** JSON: the files of each shard. */
  shards: string
  /** 1 if the plan was created without durations. */
  by_count: number
  created_at_us: number
}
