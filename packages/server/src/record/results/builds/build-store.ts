import { sql, type SqlBool } from 'kysely'
import type { Query, Transaction } from '../../../storage/database/database'
import type { KeyGenerator } from '../../../storage/database/keys'
import type { BuildsTable } from '../../../storage/database/schema/history'
import { digestMetadata } from '../../catalogue/metadata/store'
import type { BuildFacts } from './build-facts'

export interface Reported {
  procedureId: number
  startedAtUs: number
  nowUs: number
  nextKey: KeyGenerator
}

const FACTS = [
  'branch',
  'git_commit',
  'commit_subject',
  'author',
  'pull_request',
  'event',
  'ci_build_url',
  'repository',
  'default_branch',
] as const satisfies readonly (keyof BuildFacts)[]

/** Creates a new build; fills in what was unknown. */
export async function resolveBuild(
  transaction: Transaction,
  facts: BuildFacts,
  reported: Reported,
): Promise<number> {
  const digest = digestMetadata('group', facts.group_name)
  const [known] = await transaction.all<BuildsTable>('SELECT * FROM builds WHERE group_digest = ?', [digest])
  const id = known?.id ?? reported.nextKey()
  if (known) await completeBuild(transaction, known, { ...facts, started_at_us: reported.startedAtUs })
  else await insertBuild(transaction, { ...facts, id, group_digest: digest }, reported)
  await transaction.run(
    `INSERT INTO build_procedures (procedure_id, build_id, started_at_us) VALUES (?, ?, ?)
      ON CONFLICT (procedure_id, build_id) DO UPDATE SET started_at_us = excluded.started_at_us
      WHERE excluded.started_at_us < build_procedures.started_at_us`,
    [reported.procedureId, id, reported.startedAtUs],
  )
  return id
}

async function insertBuild(
  transaction: Transaction,
  build: BuildFacts & Pick<BuildsTable, 'id' | 'group_digest'>,
  { startedAtUs, nowUs }: Reported,
): Promise<void> {
  const row: BuildsTable = { ...build, started_at_us: startedAtUs, created_at_us: nowUs }
  const columns = Object.keys(row)
  await transaction.run(
    `INSERT INTO builds (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    Object.values(row),
  )
}

async function completeBuild(
  transaction: Transaction,
  known: BuildsTable,
  reported: BuildFacts & Pick<BuildsTable, 'started_at_us'>,
): Promise<void> {
  const isMissing = FACTS.some((name) => known[name] === null && reported[name] !== null)
  if (!isMissing && reported.started_at_us >= known.started_at_us) return
  await transaction.run(
    `UPDATE builds SET ${FACTS.map((name) => `${name} = ?`).join(', ')}, started_at_us = ? WHERE id = ?`,
    [
      ...FACTS.map((name) => known[name] ?? reported[name]),
      Math.min(reported.started_at_us, known.started_at_us),
      known.id,
    ],
  )
}

export async function deleteEmptyBuilds(query: Query, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await query
    .deleteFrom('builds')
    .where('id', 'in', ids)
    .where(sql<SqlBool>`NOT EXISTS (SELECT 1 FROM runs WHERE runs.build_id = builds.id)`)
    .where(
      sql<SqlBool>`NOT EXISTS (SELECT 1 FROM executions WHERE executions.group_digest = builds.group_digest)`,
    )
    .execute()
}

export async function listBuildsOfRuns(query: Query, runIds: readonly number[]): Promise<number[]> {
  const rows = await query
    .selectFrom('runs')
    .select('build_id')
    .distinct()
    .where('id', 'in', runIds)
    .where('build_id', 'is not', null)
    .execute()
  return rows.flatMap(({ build_id: id }) => id ?? [])
}
