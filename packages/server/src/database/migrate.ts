import type { Clock } from '../clock'
import type { Database, Transaction } from './database'
import { MIGRATIONS } from './migrations'
import type { Migration } from './migrations/migration'

const MIGRATIONS_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at_us bigint NOT NULL)'

/** Brings the database up to this version, one transaction for each migration that it has not seen, in order. */
export async function migrate(database: Database, clock: Clock): Promise<void> {
  await database.write((transaction) => transaction.run(MIGRATIONS_TABLE, []))
  for (const migration of MIGRATIONS) {
    await database.write((transaction) => applyOnce(transaction, migration, clock()))
  }
}

async function applyOnce(transaction: Transaction, migration: Migration, nowUs: number): Promise<void> {
  const seen = await transaction.all('SELECT name FROM schema_migrations WHERE name = ?', [migration.name])
  if (seen.length > 0) return
  for (const statement of migration.statements) await transaction.run(statement, [])
  await transaction.run('INSERT INTO schema_migrations (name, applied_at_us) VALUES (?, ?)', [
    migration.name,
    nowUs,
  ])
}
