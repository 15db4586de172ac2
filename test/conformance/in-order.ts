/** Vitest's options that run files one after another, by their names, as source text. */
export const IN_ORDER = `fileParallelism: false, sequence: { sequencer: class {
  sort(files) { return [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1)) }
  shard(files) { return files }
} },`
