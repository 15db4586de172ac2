import { DEFAULT_SETTINGS, foldIdentifier, type Settings, SettingsSchema } from '@runledger/protocol'
import { createHmac } from 'node:crypto'
import type { Query, Transaction } from '../../../storage/database/database'
import type { ProceduresTable } from '../../../storage/database/schema/units'
import { writeSettingRow } from '../../../storage/database/internal-settings'

interface SettingRow {
  name: string
  value: string
}

/** Unset settings have their defaults. */
export async function readSettings(transaction: Transaction): Promise<Settings> {
  return mapRows(await transaction.all<SettingRow>('SELECT name, value FROM settings', []))
}

/** For use outside of a transaction. */
export async function readCommittedSettings(query: Query): Promise<Settings> {
  return mapRows(await query.selectFrom('settings').selectAll().execute())
}

function mapRows(rows: readonly SettingRow[]): Settings {
  return completeSettings(
    Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown])),
  )
}

export async function writeSetting<Name extends keyof Settings>(
  transaction: Transaction,
  name: Name,
  value: Settings[Name],
): Promise<void> {
  await writeSettingRow(transaction, name, value)
}

export async function resetSetting(transaction: Transaction, name: keyof Settings): Promise<void> {
  await transaction.run('DELETE FROM settings WHERE name = ?', [name])
}

/** A later procedure with the identifier must not get the rule of a deleted one. */
export async function removeRetentionRules(
  transaction: Transaction,
  { public_id, identifier_folded }: Pick<ProceduresTable, 'public_id' | 'identifier_folded'>,
): Promise<void> {
  const name = 'retention.days_by_procedure'
  const { [name]: rules } = await readSettings(transaction)
  const kept = Object.entries(rules).filter(
    ([key]) => key !== public_id && foldIdentifier(key) !== identifier_folded,
  )
  if (kept.length < Object.keys(rules).length) await writeSetting(transaction, name, Object.fromEntries(kept))
}

const SIGNING_SECRET = 'internal.signing_secret'

/** Signs upload and download addresses. Stores `fresh` if there is none yet. */
export async function readOrCreateSigningSecret(transaction: Transaction, fresh: string): Promise<string> {
  const sql = 'SELECT value FROM settings WHERE name = ?'
  const [row] = await transaction.all<{ value: string }>(sql, [SIGNING_SECRET])
  if (row) return JSON.parse(row.value) as string
  await writeSettingRow(transaction, SIGNING_SECRET, fresh)
  return fresh
}

/** The same for all processes of a database, so that any of them can give the proof. */
export function deriveServiceSecret(signingSecret: string): string {
  return createHmac('sha256', signingSecret).update('local credentials').digest('base64url')
}

/** The tokens of sessions are derived from it. */
export function deriveSessionKey(signingSecret: string): string {
  return createHmac('sha256', signingSecret).update('sessions').digest('base64url')
}

/** The local credentials file does not have it. */
export function deriveWebhookKey(signingSecret: string): string {
  return createHmac('sha256', signingSecret).update('webhooks').digest('base64url')
}

export type { Settings } from '@runledger/protocol'

/** Ignores rows of other names. */
function completeSettings(changed: Readonly<Record<string, unknown>>): Settings {
  return SettingsSchema.parse({ ...DEFAULT_SETTINGS, ...changed })
}
