import type { MetadataValue } from '@runledger/protocol'
import type { Context } from '../context'
import type { Transaction } from '../database/database'
import type { Principal } from '../keys/principal'
import { metadataColumns } from '../metadata/metadata-value'
import { findOwnRun } from './find-own-run'
import { digestMetadata } from './metadata-digest'

/** Sets entries of a run's metadata, each in place of what it had under that name, and removes those that are null. */
export async function updateRunMetadata(
  { database }: Context,
  principal: Principal,
  { runId, metadata }: { runId: string; metadata: Readonly<Record<string, MetadataValue | null>> },
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const run = await findOwnRun(transaction.query, principal, runId)
    for (const [name, value] of Object.entries(metadata)) await setEntry(transaction, run.id, { name, value })
    return { id: run.public_id }
  })
}

// An entry that is replaced keeps its place, a new one comes last.
async function setEntry(
  { query }: Transaction,
  runId: number,
  { name, value }: { name: string; value: MetadataValue | null },
): Promise<void> {
  const known = await query
    .selectFrom('run_metadata')
    .select('position')
    .where('run_id', '=', runId)
    .where('name', '=', name)
    .executeTakeFirst()
  if (known) {
    await query
      .deleteFrom('run_metadata')
      .where('run_id', '=', runId)
      .where('position', '=', known.position)
      .execute()
  }
  if (value === null) return
  const columns = metadataColumns(value)
  const position = known?.position ?? (await nextPosition(query, runId))
  await query
    .insertInto('run_metadata')
    .values({ run_id: runId, position, name, digest: digestMetadata(name, columns.text_value), ...columns })
    .execute()
}

async function nextPosition(query: Transaction['query'], runId: number): Promise<number> {
  const { last } = await query
    .selectFrom('run_metadata')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()
  return last === null ? 0 : Number(last) + 1
}
