import type { ClientBase, QueryResultRow } from 'pg'
import { type BlobRow, type CheckedRows, type DataCounts, type Problem, RULES } from './store'

const BLOBS = 'SELECT sha256, object_name, size_bytes, reference_count FROM blobs'

/** For its files, PostgreSQL has `pg_amcheck`. */
export class PostgresRows implements CheckedRows {
  readonly #client: ClientBase

  constructor(client: ClientBase) {
    this.#client = client
  }

  listDatabaseProblems(): Problem[] {
    return []
  }

  async *listRuleProblems(): AsyncGenerator<Problem> {
    for (const { kind, text } of RULES)
      for (const { message } of await this.#read<{ message: string }>(text)) yield { kind, message }
  }

  async listBlobs(prefix: string): Promise<BlobRow[]> {
    const rows = await this.#read<BlobRow>(`${BLOBS} WHERE sha256 >= $1 AND sha256 < $2 ORDER BY sha256`, [
      prefix,
      `${prefix}g`,
    ])
    return rows.map((row) => ({ ...row, size_bytes: Number(row.size_bytes) }))
  }

  async isNamed(name: string): Promise<boolean> {
    const rows = await this.#read(`${BLOBS} WHERE object_name = $1 AND reference_count > 0`, [name])
    return rows.length > 0
  }

  async count(): Promise<DataCounts> {
    const [row] = await this.#read<Record<keyof DataCounts, string>>(`SELECT
      (SELECT count(*) FROM live_runs) AS runs, (SELECT count(*) FROM attachments) AS attachments,
      count(*) AS blobs, coalesce(sum(size_bytes), 0) AS bytes FROM blobs`)
    const { runs, attachments, blobs, bytes } = row as Record<keyof DataCounts, string>
    return {
      runs: Number(runs),
      attachments: Number(attachments),
      blobs: Number(blobs),
      bytes: Number(bytes),
    }
  }

  async #read<Row extends QueryResultRow>(text: string, values: string[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows
  }
}
