import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { migrate } from '../../packages/server/src/storage/database/sqlite/migrate'
import { POSTGRES_MIGRATIONS } from '../../packages/server/src/storage/database/migrations'
import {
  migratePostgres,
  withPlaceNote,
} from '../../packages/server/src/storage/database/postgres/postgres-migrate'
import { loadSqlite } from '../../packages/server/src/storage/database/sqlite/sqlite-driver'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { describeWithPostgres } from './with-postgres'
import { DATABASE_FILE } from '../../packages/server/src/storage/folder/data-folder'

/** What a database has: columns with their types, keys and indexes, each as a line. */
interface Description {
  columns: string[]
  keys: string[]
  indexes: string[]
}

describeWithPostgres('the tables of PostgreSQL', (postgres) => {
  it('are those of SQLite, with the same columns, keys and indexes', async () => {
    const url = await postgres().createDatabase('tables')
    await migratePostgres(url)
    const [ours, theirs] = await Promise.all([describePostgres(url), describeSqlite()])
    expect(ours.columns.length).toBeGreaterThan(200)
    expect(ours.columns).toEqual(theirs.columns)
    expect(ours.keys).toEqual(theirs.keys)
    // SQLite does not say that its indexes end with the key.
    const indexes = ours.indexes.map((index) =>
      index.replace(/(revisions .*number_folded), id\)/, '$1)').replaceAll('::text', ''),
    )
    expect(indexes.filter((index) => !/ USING gin /.test(index))).toEqual(theirs.indexes)
  })

  it('compare every text by its bytes, whatever the database does', async () => {
    const url = await postgres().createDatabase('collations')
    await migratePostgres(url)
    const others = await select(
      url,
      `SELECT table_name || '.' || column_name AS line FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
    )
    expect(others).toEqual([])
  })

  it('are made once when several processes begin at once, and found by those that come later', async () => {
    const url = await postgres().createDatabase('at_once')
    const identify = async (): Promise<string> => {
      await migratePostgres(url)
      let id = ''
      await withPlaceNote(url, (note) => {
        id = note.databaseId
        return Promise.resolve()
      })
      return id
    }
    const ids = await Promise.all([identify(), identify(), identify()])
    expect(new Set([...ids, await identify()]).size).toBe(1)
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}\/\d+\/\d+$/)
  })

  it('are brought up to a later release: views too, all of it or nothing', async () => {
    const url = await postgres().createDatabase('later')
    await migratePostgres(url)
    const warned: string[] = []
    const log = {
      error: () => undefined,
      info: () => undefined,
      warn: (text: string) => void warned.push(text),
    }
    const next = { name: '998-next', statements: ['ALTER TABLE runs ADD COLUMN next_text text'] }
    const broken = { name: '999-broken', statements: ['ALTER TABLE nowhere ADD COLUMN next_text text'] }
    const failing = migratePostgres(url, { log, migrations: [...POSTGRES_MIGRATIONS, next, broken] })
    await expect(failing).rejects.toThrow(/nowhere/)
    const columns = `SELECT table_name || ' ' || coalesce(collation_name, '') AS line
      FROM information_schema.columns WHERE column_name = 'next_text' ORDER BY 1`
    expect(await select(url, columns)).toEqual([])
    await migratePostgres(url, { log, migrations: [...POSTGRES_MIGRATIONS, next] })
    expect(await select(url, columns)).toEqual(['live_runs C', 'runs C'])
    expect(warned).toHaveLength(2)
    await expect(migratePostgres(url)).rejects.toThrow(/newer than this one/)
  })

  it('are upgraded after a deadlock', async () => {
    const url = await postgres().createDatabase('deadlocked')
    await migratePostgres(url)
    const other = await connectToDatabase(url)
    // So that PostgreSQL undoes the migration, not this.
    await other.query(`SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE runs IN ACCESS SHARE MODE`)
    const next = ['users', 'runs'].map((table) => `ALTER TABLE ${table} ADD COLUMN next_text text`)
    const warned: string[] = []
    const warn = (message: string) => void warned.push(message)
    const migrating = migratePostgres(url, {
      log: { warn, info: () => undefined, error: () => undefined },
      migrations: [...POSTGRES_MIGRATIONS, { name: '998-next', statements: next }],
    })
    await expect
      .poll(() => select(url, `SELECT 'waits' AS line FROM pg_locks WHERE NOT granted`))
      .toEqual(['waits'])
    await other.query('SELECT count(*) FROM users')
    await other.query('COMMIT')
    await other.end()
    await migrating
    expect(warned).toHaveLength(1)
    expect(
      await select(url, `SELECT 'there' AS line FROM applied_migrations WHERE name = '998-next'`),
    ).toEqual(['there'])
  })

  it('are not made in a database that has others of that name', async () => {
    const url = await postgres().createDatabase('foreign_tables')
    await select(url, 'CREATE TABLE users (id text)')
    await expect(migratePostgres(url)).rejects.toThrow(/"users" already exists/)
    expect(await select(url, `SELECT tablename AS line FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
      'users',
    ])
  })

  it('need UTF-8', async () => {
    const name = 'latin'
    await select(
      postgres().urlOf('postgres'),
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`,
    )
    await expect(migratePostgres(postgres().urlOf(name))).rejects.toThrow(/encoding LATIN1/)
  })

  it('need the primary: a standby is refused', async () => {
    const url = await postgres().createDatabase('standby')
    const [dataDir = ''] = await select(url, `SELECT current_setting('data_directory') AS line`)
    const signal = path.join(dataDir, 'standby.signal')
    const restart = async () => {
      await postgres().kill()
      await postgres().start()
    }
    await writeFile(signal, '')
    try {
      await restart()
      await expect(migratePostgres(url)).rejects.toMatchObject({
        code: 'START_ERROR',
        message: expect.stringMatching(/is a standby.* address of the primary/) as unknown,
      })
    } finally {
      await rm(signal, { force: true })
      await restart()
    }
  })
})

async function select(url: string, text: string): Promise<string[]> {
  const client = await connectToDatabase(url)
  try {
    const { rows } = await client.query<{ line: string }>(text)
    return rows.map(({ line }) => line)
  } finally {
    await client.end()
  }
}

async function describePostgres(url: string): Promise<Description> {
  return {
    columns: await select(
      url,
      `SELECT table_name || '.' || column_name || ' ' || data_type
          || CASE WHEN is_nullable = 'NO' THEN ' NOT NULL' ELSE '' END
          || coalesce(' DEFAULT ' || replace(column_default, '::text', ''), '') AS line
        FROM information_schema.columns WHERE table_schema = 'public'`,
    ).then((lines) => lines.toSorted()),
    keys: await select(
      url,
      `SELECT DISTINCT conrelid::regclass || ' ' || replace(pg_get_constraintdef(oid), '"', '') AS line
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f')`,
    ).then((lines) => lines.toSorted()),
    indexes: await select(
      url,
      `SELECT indexdef AS line FROM pg_indexes WHERE schemaname = 'public'
        AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
    ).then((lines) => lines.map(simplifyIndex).toSorted()),
  }
}

function simplifyIndex(definition: string): string {
  return definition
    .replaceAll('public.', '')
    .replace(' USING btree', '')
    .replace(/ WHERE \((.*)\)$/, (_, condition: string) => ` WHERE ${condition.replaceAll(/[()]/g, '')}`)
}

interface SqliteColumn {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

async function describeSqlite(): Promise<Description> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-tables-'))
  try {
    await migrate(folder)
    const { DatabaseSync } = await loadSqlite()
    const connection = new DatabaseSync(path.join(folder, DATABASE_FILE), { readOnly: true })
    const all = <Row>(text: string) => connection.prepare(text).all() as Row[]
    const found = all<{ name: string; type: string; sql: string }>(
      `SELECT name, type, sql FROM sqlite_master WHERE type IN ('table', 'view', 'index') AND sql IS NOT NULL
        AND name NOT LIKE '%search%'`,
    )
    const tables = found.filter(({ type }) => type !== 'index')
    const description = {
      columns: tables.flatMap(({ name, type }) =>
        all<SqliteColumn>(`PRAGMA table_info(${name})`).map((column) => describeColumn(name, type, column)),
      ),
      keys: tables.flatMap(({ name }) => listKeys(name, all)),
      indexes: found.filter(({ type }) => type === 'index').map(({ sql }) => sql.replaceAll(/\s+/g, ' ')),
    }
    connection.close()
    return {
      columns: description.columns.toSorted(),
      keys: [...new Set(description.keys)].toSorted(),
      indexes: description.indexes.toSorted(),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function describeColumn(table: string, kind: string, column: SqliteColumn): string {
  // A view tells neither what may be null nor what is there by default, and a primary key is never null.
  const isNeverNull = kind === 'table' && (column.notnull === 1 || column.pk > 0)
  const fallback = kind === 'table' && column.dflt_value !== null ? ` DEFAULT ${column.dflt_value}` : ''
  const type = column.type.toLowerCase().replace('integer', 'bigint')
  return `${table}.${column.name} ${type}${isNeverNull ? ' NOT NULL' : ''}${fallback}`
}

/** Primary keys, unique columns and references, as PostgreSQL writes them. */
function listKeys(table: string, all: <Row>(text: string) => Row[]): string[] {
  const primary = all<SqliteColumn>(`PRAGMA table_info(${table})`)
    .filter(({ pk }) => pk > 0)
    .toSorted((a, b) => a.pk - b.pk)
    .map(({ name }) => name)
  const unique = all<{ name: string; origin: string }>(`PRAGMA index_list(${table})`)
    .filter(({ origin }) => origin === 'u')
    .map(({ name }) => all<{ name: string }>(`PRAGMA index_info(${name})`).map((column) => column.name))
  const references = all<{ table: string; from: string; to: string; on_delete: string }>(
    `PRAGMA foreign_key_list(${table})`,
  )
  return [
    ...(primary.length > 0 ? [`${table} PRIMARY KEY (${primary.join(', ')})`] : []),
    ...unique.map((columns) => `${table} UNIQUE (${columns.join(', ')})`),
    ...references.map(
      ({ table: to, from, to: column, on_delete: onDelete }) =>
        `${table} FOREIGN KEY (${from}) REFERENCES ${to}(${column})${onDelete === 'CASCADE' ? ' ON DELETE CASCADE' : ''}`,
    ),
  ]
}
