import type { Query, Transaction } from './database'

type InternalName = `internal.${string}`

/** Undefined if it was never written. */
export async function readInternal(query: Query, name: InternalName): Promise<unknown> {
  const row = await query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  return row && (JSON.parse(row.value) as unknown)
}

export async function writeSettingRow({ query }: Transaction, name: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value)
  await query
    .insertInto('settings')
    .values({ name, value: text })
    .onConflict((conflict) => conflict.columns(['name', 'organisation_id']).doUpdateSet({ value: text }))
    .execute()
}
