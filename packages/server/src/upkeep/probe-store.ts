import type { Query, Transaction } from '../database/database'

const PROBE = 'internal.probe'

/** Writes a row without meaning. */
export async function writeProbe({ query }: Transaction, text: string): Promise<void> {
  await query
    .insertInto('settings')
    .values({ name: PROBE, value: JSON.stringify(text) })
    .onConflict((conflict) =>
      conflict.columns(['name', 'organisation_id']).doUpdateSet({ value: JSON.stringify(text) }),
    )
    .execute()
}

/** Reads that row and the newest run; undefined without the row. */
export async function readProbe(query: Query): Promise<string | undefined> {
  await query.selectFrom('runs').selectAll().orderBy('id', 'desc').limit(1).execute()
  const row = await query.selectFrom('settings').select('value').where('name', '=', PROBE).executeTakeFirst()
  return row?.value
}
