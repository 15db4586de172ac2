/** Most runs in one batch: others who write wait for no more than these. */
export const MAX_BATCH_RUNS = 50
