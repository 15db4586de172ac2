import type { Query } from '../../../storage/database/database'
import { isInList, MOST_SHOWN } from '../../../storage/database/rows'
import { beginning } from '../tests/listed-text'

export interface TestRow {
  id: number
  suite_id: number
  procedure_id: number
  definition_id: number
  line: number | null
  alias_of: number | null
  owner: string | null
}

export async function findTest(query: Query, key: number): Promise<TestRow | undefined> {
  return query
    .selectFrom('tests')
    .innerJoin('suites', 'suites.id', 'tests.suite_id')
    .innerJoin('live_procedures as procedures', 'procedures.id', 'suites.procedure_id')
    .leftJoin('definitions as owners', 'owners.id', 'tests.owner_id')
    .select(['tests.id', 'suite_id', 'suites.procedure_id', 'definition_id', 'line', 'alias_of'])
    .select('owners.name as owner')
    .where('tests.id', '=', key)
    .executeTakeFirst()
}

/** Makes a test an earlier name of another one, or a test of its own again. Whichever was chosen, no rename changes it. */
export async function setAlias(query: Query, key: number, aliasOf: number | null): Promise<void> {
  await query
    .updateTable('tests')
    .set({ alias_of: aliasOf, rename_checked: 1 })
    .where('id', '=', key)
    .execute()
}

export async function listFingerprints(
  query: Query,
  groupIds: readonly number[],
): Promise<Map<number, string>> {
  if (groupIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('error_groups')
    .select(['id', 'fingerprint'])
    .where(isInList(query, 'id', [...new Set(groupIds)]))
    .execute()
  return new Map(rows.map(({ id, fingerprint }) => [id, fingerprint]))
}

/** Tags of a test, as a run has them. */
export async function listTagsOfTest(
  query: Query,
  runId: number | undefined,
  definitionId: number,
): Promise<string[]> {
  if (runId === undefined) return []
  const rows = await query
    .selectFrom('phases')
    .innerJoin('phase_tags', (join) =>
      join.onRef('phase_tags.run_id', '=', 'phases.run_id').onRef('phase_tags.phase_id', '=', 'phases.id'),
    )
    .innerJoin('definitions', 'definitions.id', 'phase_tags.tag_id')
    .select(beginning('definitions.name').as('name'))
    .distinct()
    .where('phases.run_id', '=', runId)
    .where('phases.definition_id', '=', definitionId)
    .where('phase_tags.description', 'is', null)
    .orderBy('name')
    .limit(MOST_SHOWN)
    .execute()
  return rows.map(({ name }) => name).toSorted()
}
