import type { Client } from 'pg'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SqlValue } from '../../storage/database/database'
import { APPLICATION, codeOf, openClient } from '../../storage/database/postgres/postgres-connection'
import { numberPlaceholders } from '../../storage/database/postgres/postgres-writer'
import { StartError } from '../../base/errors'
import { MIGRATIONS_TABLE } from '../../storage/database/sqlite/migrate'
import { listNames, quote, type Row, type Table, type TableStore } from './table-store'

/** Any number that nothing else locks in this database. */
const LOCK = 7_357_2027

/** Longer than PostgreSQL continues a killed process's statement. */
const LOCK_LIMIT_MS = 60_000

const LOCK_NOT_AVAILABLE = '55P03'

/** No other process may fill the database. @throws StartError */
export async function openPostgresTarget(url: string): Promise<TableStore> {
  return open(url, async ({ client }) => {
    const isBusy = 'Another migration to this PostgreSQL database is under way. Let it end, or end it.'
    await withLockLimit(client, isBusy, () => client.query('SELECT pg_advisory_lock($1)', [LOCK]))
  })
}

/** Shows one moment; no process can write until it is closed. @throws StartError when a service may be running */
export async function openPostgresSource(url: string): Promise<TableStore> {
  return open(url, async ({ client, store }) => {
    await refuseServices(client)
    const names = listNames((await store.listTables()).map(({ name }) => name))
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await withLockLimit(client, isInUse(), () => client.query(`LOCK TABLE ${names} IN SHARE MODE`))
  })
}

export async function hasRecords(url: string): Promise<boolean> {
  // Check before any change.
  const store = await open(url, ({ client }) => refuseServices(client))
  try {
    const [row] = await store.read(`SELECT to_regclass('${MIGRATIONS_TABLE}') IS NOT NULL`)
    return row?.[0] as unknown as boolean
  } finally {
    await store.close()
  }
}

interface Opened {
  client: Client
  store: TableStore
}

async function open(url: string, prepare: (opened: Opened) => Promise<void>): Promise<TableStore> {
  const { client, describeFailure } = await openClient(url)
  const store = new PostgresTableStore(client, describeFailure)
  try {
    await client.query(
      `SET application_name = '${APPLICATION} migrate-storage'; SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0`,
    )
    await prepare({ client, store })
    return store
  } catch (error) {
    await store.close()
    throw describeFailure(error)
  }
}

async function withLockLimit(client: Client, busyMessage: string, lock: () => Promise<unknown>) {
  await client.query(`SET lock_timeout = ${LOCK_LIMIT_MS}`)
  await lock().catch((error: unknown) => {
    throw codeOf(error) === LOCK_NOT_AVAILABLE ? new StartError(busyMessage, { cause: error }) : error
  })
  await client.query('SET lock_timeout = 0')
}

// A closed connection remains for a moment.
const TRIES = 20
const TRY_AGAIN_AFTER_MS = 250

async function refuseServices(client: Client): Promise<void> {
  for (let left = TRIES; left > 0; left -= 1) {
    const { rowCount } = await client.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = '${APPLICATION}'`,
    )
    if (rowCount === 0) return
    await sleep(TRY_AGAIN_AFTER_MS)
  }
  throw new StartError(isInUse())
}

function isInUse(): string {
  return 'A Runledger service uses the PostgreSQL database that is to be moved (--database). Stop it first: records that it receives meanwhile would not be moved.'
}

const SELECT_TABLES = `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
  AND relkind IN ('r', 'p') AND relname <> '${MIGRATIONS_TABLE}' ORDER BY relname COLLATE "C"`
const SELECT_COLUMNS = `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
  WHERE attrelid = ?::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`
const SELECT_KEY = `SELECT attname FROM pg_index
  CROSS JOIN unnest(indkey::int[]) WITH ORDINALITY AS keys (number, place)
  JOIN pg_attribute ON attrelid = indrelid AND attnum = number
  WHERE indrelid = ?::regclass AND indisprimary ORDER BY place`
const SELECT_REFERENCES = `SELECT attname, relname FROM pg_constraint CROSS JOIN unnest(conkey) AS number
  JOIN pg_attribute ON attrelid = conrelid AND attnum = number
  JOIN pg_class ON pg_class.oid = confrelid
  WHERE conrelid = ?::regclass AND contype = 'f'`

class PostgresTableStore implements TableStore {
  readonly #client: Client
  readonly #describeFailure: (error: unknown) => StartError

  constructor(client: Client, describeFailure: (error: unknown) => StartError) {
    this.#client = client
    this.#describeFailure = describeFailure
  }

  async listTables(): Promise<Table[]> {
    const tables: Table[] = []
    for (const [name] of await this.read(SELECT_TABLES)) tables.push(await this.#describe(name as string))
    return tables
  }

  async #describe(name: string): Promise<Table> {
    const columns = await this.read(SELECT_COLUMNS, [quote(name)])
    const key = await this.read(SELECT_KEY, [quote(name)])
    const references = await this.read(SELECT_REFERENCES, [quote(name)])
    return {
      name,
      columns: columns.map(([column, type]) => ({ name: column as string, type: type as string })),
      key: key.map(([column]) => column as string),
      references: references.map(([column, table]) => ({
        column: column as string,
        table: table as string,
      })),
    }
  }

  async read(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return (await this.#query(numberPlaceholders(sql), [...values])) as Row[]
  }

  /** Each column is one array value: a statement takes few values, but long ones. */
  async insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const names = listNames(columns.map((column) => column.name))
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    const values = columns.map((_column, index) => rows.map((row) => row[index]))
    const text = `INSERT INTO ${quote(name)} (${names}) SELECT * FROM unnest(${arrays})`
    await this.#query(text, values)
  }

  async runEach(sql: string, values: readonly Row[]): Promise<void> {
    await this.#query('BEGIN', [])
    const text = numberPlaceholders(sql)
    try {
      await Promise.all(values.map((each) => this.#query(text, [...each])))
    } catch (error) {
      await this.#client.query('ROLLBACK').catch(() => undefined)
      throw error
    }
    await this.#query('COMMIT', [])
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined)
  }

  async #query(text: string, values: unknown[]): Promise<unknown[][]> {
    try {
      return (await this.#client.query<unknown[]>({ text, values, rowMode: 'array' })).rows
    } catch (error) {
      throw this.#describeFailure(error)
    }
  }
}
