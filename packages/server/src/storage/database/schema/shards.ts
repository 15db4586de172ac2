export interface ShardPlansTable {
  id: number
  procedure_id: number
  /** Of the build, the suite and the number of shards. */
  digest: string
  /** JSON: the files of each shard. */
  shards: string
  /** 1 if it was made without durations. */
  by_count: number
  created_at_us: number
}
