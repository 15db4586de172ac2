import type { Query, Transaction } from '../../../storage/database/database'
import type { KeyGenerator } from '../../../storage/database/keys'
import { groupBy } from '../../../storage/database/rows'
import { mapMetadata } from '../../catalogue/metadata/store'
import { digestDefinition } from '../runs/definition-store'
import { listMetadata } from '../runs/store'
import { type HistoryFacts, readHistoryFacts } from '../builds/build-facts'
import { resolveBuild } from '../builds/build-store'
import { refreshBuilds } from '../builds/refresh-store'
import { deleteEmptyTests, listTestsOfRuns } from './empty-test-store'
import { deleteResults, insertResults } from './result-store'

export async function reassignRuns(
  transaction: Transaction,
  runIds: readonly number[],
  nextKey: KeyGenerator,
): Promise<void> {
  const { query } = transaction
  const runs = await query
    .selectFrom('runs')
    .select(['id', 'public_id', 'procedure_id', 'started_at_us', 'created_at_us', 'build_id'])
    .where('id', 'in', runIds)
    .orderBy('id')
    .execute()
  const metadata = groupBy(await listMetadata(query, runIds), ({ run_id: id }) => id)
  const tests = await listTestsOfRuns(query, runIds)
  await deleteResults(query, runIds)
  for (const run of runs) {
    const facts = readHistoryFacts(Object.entries(mapMetadata(metadata.get(run.id) ?? [])), run.public_id)
    await query
      .updateTable('runs')
      .set(facts ? await findColumns(transaction, run, { facts, nextKey }) : NO_HISTORY)
      .where('id', '=', run.id)
      .execute()
  }
  await insertResults(transaction, runIds)
  await deleteEmptyTests(query, tests)
  await refreshBuilds(query, [...new Set(runs.flatMap(({ build_id: id }) => id ?? []))])
}

const NO_HISTORY = {
  build_id: null,
  branch_id: null,
  environment: null,
  rerun: null,
  shard: null,
  file_id: null,
  project_id: null,
}

interface StoredRun {
  id: number
  procedure_id: number
  started_at_us: number
  created_at_us: number
}

async function findColumns(
  transaction: Transaction,
  { id, procedure_id: procedureId, started_at_us: startedAtUs, created_at_us: nowUs }: StoredRun,
  { facts, nextKey }: { facts: HistoryFacts; nextKey: KeyGenerator },
): Promise<typeof NO_HISTORY | Record<string, string | number | null>> {
  return {
    build_id: await resolveBuild(transaction, facts.build, { procedureId, startedAtUs, nowUs, nextKey }),
    branch_id: await findBranchId(transaction.query, id),
    environment: facts.environment,
    rerun: facts.rerun,
    shard: facts.shard,
    file_id: await findDefinitionId(transaction.query, procedureId, facts.file),
    project_id: await findDefinitionId(transaction.query, procedureId, facts.project),
  }
}

async function findBranchId(query: Query, runId: number): Promise<number | null> {
  const row = await query
    .selectFrom('run_metadata')
    .innerJoin('metadata_values', 'metadata_values.id', 'run_metadata.value_id')
    .select('metadata_values.id')
    .where('run_id', '=', runId)
    .where('name', '=', 'git_branch')
    .where('value_type', '=', 'string')
    .where('text_value', '<>', '')
    .executeTakeFirst()
  return row?.id ?? null
}

async function findDefinitionId(
  query: Query,
  procedureId: number,
  text: string | undefined,
): Promise<number | null> {
  if (text === undefined) return null
  const row = await query
    .selectFrom('definitions')
    .select('id')
    .where('procedure_id', '=', procedureId)
    .where('digest', '=', digestDefinition(text))
    .executeTakeFirst()
  return row?.id ?? null
}
