import {
  type FailureExplanation,
  formatTimestampUs,
  ListErrorsQuerySchema,
  MAX_EXPLAINED_ITEMS,
} from '@runledger/protocol'
import type { Query } from '../../../storage/database/database'
import { findRunHeads } from '../runs/store'
import { createErrorFilter, listBranches, listGroups, listTests } from '../test-errors/list-store'

type SameError = NonNullable<FailureExplanation['same_error']>

/** Undefined if it is nowhere else. */
export async function readSameError(
  query: Query,
  fingerprint: string,
  own: { name: string; file: string | null },
): Promise<SameError | undefined> {
  if (fingerprint === '') return undefined
  const list = ListErrorsQuerySchema.parse({ fingerprints: fingerprint, limit: 1 })
  const counted = await createErrorFilter(query, list)
  const [group] = await listGroups(query, list, counted)
  if (!group) return undefined
  const [tests, branches, heads] = await Promise.all([
    listTests(query, [group], counted),
    listBranches(query, [group], counted),
    findRunHeads(query, [group.first_run, group.last_run]),
  ])
  const startOf = (key: number) => formatTimestampUs(heads.find(({ id }) => id === key)?.started_at_us ?? 0)
  return {
    count: Number(group.occurrences),
    tests_count: Number(group.tests),
    other_tests: tests
      .filter(({ name, file }) => name !== own.name || (file ?? own.file) !== own.file)
      .slice(0, MAX_EXPLAINED_ITEMS)
      .map(({ name, file }) => ({ name, file })),
    branches: branches.slice(0, MAX_EXPLAINED_ITEMS).map(({ branch }) => branch),
    first_seen_at: startOf(group.first_run),
    last_seen_at: startOf(group.last_run),
  }
}
