import type { Transaction } from '../database/database'

export interface IdempotencyRow {
  owner: string
  key: string
  bodyDigest: string
  answer: string
  runId: number
}

/** The body and the response that a key was first used with. */
export async function findIdempotencyKey(
  transaction: Transaction,
  owner: string,
  key: string,
): Promise<{ body_digest: string; answer: string } | undefined> {
  const sql = 'SELECT body_digest, answer FROM idempotency_keys WHERE owner = ? AND idempotency_key = ?'
  const [row] = await transaction.all<{ body_digest: string; answer: string }>(sql, [owner, key])
  return row
}

export async function insertIdempotencyKey(transaction: Transaction, row: IdempotencyRow): Promise<void> {
  const sql =
    'INSERT INTO idempotency_keys (owner, idempotency_key, body_digest, answer, run_id) VALUES (?, ?, ?, ?, ?)'
  await transaction.run(sql, [row.owner, row.key, row.bodyDigest, row.answer, row.runId])
}
