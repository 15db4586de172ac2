import path from 'node:path'
import { loadSqlite } from '../../packages/server/src/storage/database/sqlite/sqlite-driver'
import type { TestServer } from '../../packages/server/src/testing/start-test-server'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { DATABASE_FILE } from '../../packages/server/src/storage/folder/data-folder'

type Row = Readonly<Record<string, unknown>>

/** Every row of every table, by the table's name. */
export type Dump = Readonly<Record<string, readonly Row[]>>

interface BigIntStatement {
  setReadBigInts(isOn: boolean): void
  all(): Row[]
}

/** An index for search is made of the records. */
const isRecord = ({ name }: Row) => !/^\w+_(?:search|index)(?:_|$)/.test(String(name))

/** Reads all that a service has stored, in its database beside the service. */
export async function dumpTables({ dataDir, database }: TestServer): Promise<Dump> {
  return database === undefined ? dumpSqlite(dataDir) : dumpPostgres(database)
}

async function dumpSqlite(dataDir: string): Promise<Dump> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { readOnly: true })
  const read = (text: string) => {
    const statement = connection.prepare(text) as unknown as BigIntStatement
    statement.setReadBigInts(true)
    return statement.all().map(writeBigInts)
  }
  const tables = read("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
  const dump = Object.fromEntries(
    tables.filter(isRecord).map(({ name }) => [name, read(`SELECT * FROM "${String(name)}"`)]),
  )
  connection.close()
  return dump
}

const writeBigInts = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
  )

async function dumpPostgres(url: string): Promise<Dump> {
  const client = await connectToDatabase(url)
  const read = async (text: string) => (await client.query<Row>(text)).rows
  const tables = await read(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1',
  )
  const dump: Record<string, Row[]> = {}
  for (const { name } of tables.filter(isRecord))
    dump[String(name)] = await read(`SELECT * FROM "${String(name)}"`)
  await client.end()
  return dump
}
