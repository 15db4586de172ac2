import { expect, it } from 'vitest'
import { listDistributionStatements } from '../../packages/server/src/database/distribution'
import { migratePostgres } from '../../packages/server/src/database/postgres-migrate'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { describeWithPostgres } from './with-postgres'

const FOREIGN_KEYS = `SELECT conrelid::regclass || '.' || conname || ' ' || pg_get_constraintdef(oid) AS line
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1`

const UNIQUE_KEYS = `SELECT conrelid::regclass::text AS name, array_agg(attname::text) AS columns
  FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
  WHERE contype IN ('p', 'u') AND connamespace = 'public'::regnamespace GROUP BY conrelid, pg_constraint.oid`

/** In the place of Citus, which no test has: they write down what they are called with. */
const FUNCTIONS = [
  `CREATE TABLE called (place serial, name text, distribution_column text, beside text)`,
  `CREATE FUNCTION create_reference_table(name text) RETURNS void LANGUAGE sql AS
    'INSERT INTO called (name) VALUES (name)'`,
  `CREATE FUNCTION create_distributed_table(name text, distribution_column text, colocate_with text DEFAULT NULL)
    RETURNS void LANGUAGE sql AS 'INSERT INTO called VALUES (DEFAULT, name, distribution_column, colocate_with)'`,
]

interface Called {
  name: string
  distribution_column: string | null
  beside: string | null
}

describeWithPostgres('the statements that distribute the tables', (postgres) => {
  async function distribute() {
    const url = await postgres().createDatabase(`distributed_${Math.random().toString(36).slice(2)}`)
    await migratePostgres(url)
    const client = await connectToDatabase(url)
    const read = async <Row>(text: string) => (await client.query(text)).rows as Row[]
    const readLines = async (text: string) => (await read<{ line: string }>(text)).map(({ line }) => line)
    const tables = await readLines(
      `SELECT tablename AS line FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    )
    const before = await readLines(FOREIGN_KEYS)
    for (const statement of FUNCTIONS) await client.query(statement)
    for (const statement of listDistributionStatements()) await client.query(statement)
    const after = await readLines(FOREIGN_KEYS)
    const called = await read<Called>('SELECT * FROM called ORDER BY place')
    const keys = await read<{ name: string; columns: string[] }>(UNIQUE_KEYS)
    await client.end()
    return { tables, before, after, called, keys }
  }

  it('name every table once, and those of a run by its key', async () => {
    const { tables, called } = await distribute()
    expect(called.map(({ name }) => name).toSorted()).toEqual(tables)
    const ofRun = called.filter(({ beside }) => beside === 'runs')
    expect(ofRun.length).toBeGreaterThan(8)
    expect(new Set(ofRun.map((table) => table.distribution_column))).toEqual(new Set(['run_id']))
  })

  it('take every foreign key away and bring it back, but those to a run from what does not lie beside it', async () => {
    const { before, after } = await distribute()
    expect(before.filter((line) => !after.includes(line)).map((line) => line.split(' ')[0])).toEqual([
      'attachments.attachments_link_to_run_id_fkey',
      'attachments.attachments_run_id_fkey',
      'idempotency_keys.idempotency_keys_run_id_fkey',
    ])
    expect(after.filter((line) => !before.includes(line))).toEqual([])
  })

  it('distribute each table by a column that all its keys have, as Citus asks for', async () => {
    const { called, keys } = await distribute()
    for (const { name, distribution_column: column } of called)
      if (column !== null)
        for (const key of keys.filter((one) => one.name === name))
          expect([name, key.columns]).toEqual([name, expect.arrayContaining([column])])
  })
})
