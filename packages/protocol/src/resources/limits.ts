// No schemas here: pages load this file without them.

/** Most days that the statistics of a line look back. */
export const MAX_LINE_DAYS = 365

/** Most units of a tree. */
export const MAX_TREE_UNITS = 200

/** An entry of the quarantine ends within this many days. A person may extend it, each time by at most this many days from then. */
export const MAX_QUARANTINE_DAYS = 30

/** A batch with fewer units says too little. */
export const LEAST_BATCH_UNITS = 5
