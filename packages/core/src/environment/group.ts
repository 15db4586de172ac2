import { createHash, randomUUID } from 'node:crypto'
import type { Surroundings } from './ci'

/** The group of an execution: the option, else the CI build (the same in every shard and framework), else a new one. */
export function deriveGroup(option: string | undefined, { buildId }: Surroundings): string {
  if (option !== undefined) return option
  if (buildId === undefined) return randomUUID()
  return `ci-${createHash('sha256').update(buildId).digest('hex').slice(0, 24)}`
}
