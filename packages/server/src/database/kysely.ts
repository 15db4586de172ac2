import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type PrimitiveValueListNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { SqlValue } from './database'
import type { Schema } from './schema/index'
import type { PeerResult, Statement } from './sqlite-peer'

const RETURNS_ROWS = /^\s*(?:select|with|pragma|values)\b|\breturning\b/i

/** Runs one statement. */
export type Execute = (statement: Statement, wantsRows: boolean) => Promise<PeerResult>

/** Kysely over whatever runs its statements, for reads, filters and small writes. Transactions are `Database.write`. */
export function createKysely(execute: Execute): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new PostingDriver(execute),
      createIntrospector: (query) => new SqliteIntrospector(query),
      createQueryCompiler: () => new FewTextsCompiler(),
    },
  })
}

// Longer lists are cut into shorter pieces (`inChunks`).
const MOST_PADDED = 512

/**
 * Gives the lists of IN few lengths, by repeating the last value, so that few texts come again and again: each is kept
 * prepared, and what SQLite holds for one that is given up is free only when JavaScript collects it.
 */
class FewTextsCompiler extends SqliteQueryCompiler {
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    const { values } = node
    const length = 2 ** Math.ceil(Math.log2(values.length))
    if (this.parentNode?.kind !== 'BinaryOperationNode' || length > MOST_PADDED)
      return super.visitPrimitiveValueList(node)
    const padding = Array.from({ length: length - values.length }, () => values.at(-1))
    super.visitPrimitiveValueList({ ...node, values: [...values, ...padding] })
  }
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
