// What is on record of a filled service, looked at beside it, and copied for the bare driver.
import { copyFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { connect } from './postgres.mjs'
import { loadSqlite } from './sqlite.mjs'

/**
 * @typedef {object} Records
 * @property {string} address what the script finds the records by
 * @property {string} bareScript inserts runs into a copy of them with nothing but the driver
 * @property {(sql: string) => Promise<Record<string, unknown>[]>} select
 * @property {(name: string) => Promise<string>} copy makes a copy of what is on record now; returns its address
 * @property {() => Promise<void>} close
 */

/**
 * Of a service with this data folder, and the database that goes with it where that is one of PostgreSQL.
 * @param {{ data: string, url?: string }} service @param {string} [folder] for the copy of a file
 * @returns {Promise<Records>}
 */
export function openRecords({ data, url }, folder) {
  return url === undefined ? openSqliteRecords(data, folder) : openPostgresRecords(url)
}

async function openSqliteRecords(data, folder) {
  const { DatabaseSync } = await loadSqlite()
  const address = path.join(data, 'runledger.db')
  const database = new DatabaseSync(address, { readOnly: true })
  return {
    address,
    bareScript: 'service-bare.mjs',
    select: async (sql) => database.prepare(sql).all(),
    copy: async (copyName) => {
      const target = path.join(folder, `${copyName}.db`)
      copyWhole(DatabaseSync, address, target)
      return target
    },
    close: async () => database.close(),
  }
}

/** While it is read with an empty log, the service writes into the log alone, and the file is whole. */
function copyWhole(DatabaseSync, from, to) {
  const database = new DatabaseSync(from)
  for (;;) {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    database.exec('BEGIN')
    database.prepare('SELECT count(*) FROM users').get()
    if (statSync(`${from}-wal`).size === 0) break
    database.exec('COMMIT')
  }
  copyFileSync(from, to)
  database.close()
}

async function openPostgresRecords(address) {
  const name = new URL(address).pathname.slice(1)
  const urlOf = (database) => Object.assign(new URL(address), { pathname: database }).href
  const client = await connect(urlOf('postgres'))
  const select = async (sql) => {
    const own = await connect(address)
    try {
      return (await own.query(sql)).rows
    } finally {
      await own.end()
    }
  }
  return {
    address,
    bareScript: 'service-bare-postgres.mjs',
    select,
    copy: async (copyName) => {
      // Of a database that somebody is connected with there is no copy; the service connects again.
      await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
      await client.query(`CREATE DATABASE ${copyName} TEMPLATE ${name} STRATEGY file_copy`)
      await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
      return urlOf(copyName)
    },
    close: () => client.end(),
  }
}
