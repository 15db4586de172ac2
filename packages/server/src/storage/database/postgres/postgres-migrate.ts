import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { version } from '../../../base/version'
import { systemClock } from '../../../base/clock'
import { StartError } from '../../../base/errors'
import type { Log } from '../../../base/log'
import { CREATE_LIVE_VIEWS, DROP_LIVE_VIEWS } from '../live-views'
import { POSTGRES_MIGRATIONS } from '../migrations'
import type { Migration } from '../migrations/migration'
import { PLACE_ID, type PlaceNote } from '../places/bytes-place'
import { CREATE_MIGRATIONS_TABLE, MADE_BY, MIGRATIONS_TABLE } from '../sqlite/migrate'
import { isDeadlock, withClient } from './postgres-connection'

/** A copy of the database has the same id. */
export const DATABASE_ID = 'internal.database_id'

const INSERT_SETTING = 'INSERT INTO settings (name, value) VALUES ($1, $2)'
const ON_CONFLICT = 'ON CONFLICT (name, organisation_id)'

const LEAST_VERSION = 14

/** PostgreSQL detects a deadlock after a second; under load, eight in a row occurred. */
const MAX_ATTEMPTS = 60

/** Any number that nothing else locks in this database. */
const LOCK = 7_357_2026

export interface MigratePostgresOptions {
  log?: Log
  migrations?: readonly Migration[]
}

/** All or nothing, even when several processes begin at once. @throws StartError for a newer or unsuitable database */
export function migratePostgres(
  url: string,
  { log, migrations = POSTGRES_MIGRATIONS }: MigratePostgresOptions = {},
): Promise<void> {
  return withClient(url, async (client) => {
    await refuseUnfit(client)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await applyMissing(client, migrations, attempt === 1 ? log : undefined)
      } catch (error) {
        // Processes of the previous release still read and write, and lock tables in another order.
        if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error
        await client.query('ROLLBACK')
      }
    }
  })
}

async function applyMissing(client: ClientBase, migrations: readonly Migration[], log?: Log): Promise<void> {
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
  const applied = await readApplied(client)
  const isKnown = (name: string) => migrations.some((migration) => migration.name === name)
  if (!applied.every(isKnown)) throw newerDatabaseError(await readSetting(client, MADE_BY))
  const missing = migrations.filter(({ name }) => !applied.includes(name))
  if (missing.length > 0 && applied.length > 0)
    log?.warn(`Bringing the database up to Runledger ${version}; a large one takes minutes.`)
  if (missing.length > 0) await applyAll(client, missing)
  await client.query('COMMIT')
}

/** No other process works with the note meanwhile. */
export function withPlaceNote(url: string, work: (note: PlaceNote) => Promise<void>): Promise<void> {
  return withClient(url, async (client) => {
    await client.query(`SET lock_timeout = '5min'`)
    // Held until the connection ends.
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await work({
      databaseId: await identify(client),
      read: () => readSetting(client, PLACE_ID),
      write: async (id) => void (await client.query(INSERT_SETTING, [PLACE_ID, JSON.stringify(id)])),
    })
  })
}

/** A copy of a database has the same id, but another name or server. */
async function identify(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ place: string }>(
    `SELECT system_identifier || '/' || oid AS place FROM pg_control_system(), pg_database WHERE datname = current_database()`,
  )
  return `${await readSetting(client, DATABASE_ID)}/${rows[0]?.place}`
}

async function refuseUnfit(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string; is_standby: boolean }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() AS is_standby`,
  )
  const { version: found = 0, encoding, is_standby: isStandby } = rows[0] ?? {}
  if (found < LEAST_VERSION)
    throw new StartError(`This is PostgreSQL ${found}. Runledger needs PostgreSQL ${LEAST_VERSION} or later.`)
  if (encoding !== 'UTF8')
    throw new StartError(`The database has the encoding ${encoding}. Make one with ENCODING 'UTF8'.`)
  if (isStandby)
    throw new StartError(
      'The database is a standby, which takes no writes. Give the address of the primary with --database.',
    )
}

async function readApplied(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query<{ is_there: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS is_there',
    [MIGRATIONS_TABLE],
  )
  if (!found[0]?.is_there) return []
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_TABLE}`)
  return rows.map(({ name }) => name)
}

export async function readSetting(client: ClientBase, name: string): Promise<string | undefined> {
  const { rows } = await client.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name])
  return rows[0] && (JSON.parse(rows[0].value) as string)
}

async function applyAll(client: ClientBase, migrations: readonly Migration[]): Promise<void> {
  await client.query(translate(CREATE_MIGRATIONS_TABLE))
  for (const statement of DROP_LIVE_VIEWS) await client.query(statement)
  for (const { name, statements } of migrations) {
    for (const statement of statements) await client.query(translate(statement))
    await client.query(`INSERT INTO ${MIGRATIONS_TABLE} (name, applied_at_us) VALUES ($1, $2)`, [
      name,
      systemClock(),
    ])
  }
  for (const statement of CREATE_LIVE_VIEWS) await client.query(statement)
  await client.query(`${INSERT_SETTING} ${ON_CONFLICT} DO UPDATE SET value = excluded.value`, [
    MADE_BY,
    JSON.stringify(version),
  ])
  await client.query(`${INSERT_SETTING} ${ON_CONFLICT} DO NOTHING`, [
    DATABASE_ID,
    JSON.stringify(randomUUID()),
  ])
}

/** Compares texts by bytes, as SQLite does, and removes what only SQLite knows. */
function translate(statement: string): string {
  if (!/^\s*(?:CREATE|ALTER) TABLE\b/.test(statement)) return statement
  return statement
    .replaceAll(/\btext\b/g, 'text COLLATE "C"')
    .replaceAll(/\binteger PRIMARY KEY\b/g, 'bigint PRIMARY KEY')
    .replaceAll(/\bWITHOUT ROWID\b/g, '')
}

function newerDatabaseError(madeBy = 'a newer release'): StartError {
  return new StartError(
    `The database was last served by Runledger ${madeBy}, which is newer than this one (${version}). Install that release, or restore a copy from before it: what came later is not in it.`,
  )
}
