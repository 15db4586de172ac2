import { type CompiledQuery, type DatabaseConnection, type Driver, Kysely, type QueryResult } from 'kysely'
import type { Query, SqlValue, Statement, StatementResult } from './database'
import type { Engine } from './engine'
import type { Schema } from './schema/index'

const RETURNS_ROWS = /^\s*(?:select|with|pragma|values)\b|\breturning\b/i

export type Execute = (statement: Statement, wantsRows: boolean) => Promise<StatementResult>

/** For reads, filters and small writes; transactions are `Database.write`. */
export function createKysely(engine: Engine, execute: Execute): Query {
  const createDriver = () => new PostingDriver(execute)
  const kysely = new Kysely<Schema>({ dialect: { ...engine.dialect, createDriver } })
  return Object.assign(kysely, { engine })
}

class PostingDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(execute: Execute) {
    this.#connection = new PostingConnection(execute)
  }

  init = () => Promise.resolve()
  acquireConnection = () => Promise.resolve(this.#connection)
  releaseConnection = () => Promise.resolve()
  destroy = () => Promise.resolve()
  beginTransaction = refuseTransaction
  commitTransaction = refuseTransaction
  rollbackTransaction = refuseTransaction
}

function refuseTransaction(): Promise<never> {
  return Promise.reject(new Error('Use the write() or read() of the database.'))
}

class PostingConnection implements DatabaseConnection {
  readonly #execute: Execute

  constructor(execute: Execute) {
    this.#execute = execute
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement: Statement = [sql, parameters as SqlValue[]]
    const { rows, changes } = await this.#execute(statement, RETURNS_ROWS.test(sql))
    return {
      rows: (rows ?? []) as Row[],
      ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }),
    }
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query)
  }
}
