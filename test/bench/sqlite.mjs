/** The driver that the service uses on this release of Node. */
export async function loadSqlite() {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') console.error(message)
  })
  const builtIn = process.getBuiltinModule('node:sqlite')
  return builtIn && hasSearchIndex(builtIn) ? builtIn : import('@photostructure/sqlite')
}

function hasSearchIndex({ DatabaseSync }) {
  const [{ used }] = new DatabaseSync(':memory:')
    .prepare(`SELECT sqlite_compileoption_used('ENABLE_FTS5') AS used`)
    .all()
  return used === 1
}

const ROWS_AT_ONCE = 100

/** Inserts rows of any table with multi-row VALUES, each text prepared once; what a row does not name is left to its default. */
export class Inserter {
  #database
  #statements = new Map()

  constructor(database) {
    this.#database = database
  }

  /** Of one table, all with the same columns. @param {readonly Record<string, unknown>[]} rows */
  insert(table, rows) {
    if (rows.length === 0) return
    const columns = Object.keys(rows[0])
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE)
      const values = []
      for (const row of some) for (const column of columns) values.push(row[column])
      this.#prepare(table, columns, some.length).run(...values)
    }
  }

  #prepare(table, columns, count) {
    const name = `${table} ${columns.length} ${count}`
    const known = this.#statements.get(name)
    if (known) return known
    const row = `(${columns.map(() => '?').join(', ')})`
    const rows = Array.from({ length: count }, () => row).join(', ')
    const statement = this.#database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows}`)
    this.#statements.set(name, statement)
    return statement
  }
}
