import { formatTimestampUs, mayActAs, type SessionItem } from '@runledger/protocol'
import { notFound } from '../../base/errors'
import type { Query } from '../../storage/database/database'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { deleteSession as deleteRow, listSessionsOfUser } from '../../record/access/sessions/store'
import type { Context } from '../call/context'
import { describeSession } from './describe-session'

export async function listSessions(
  { database, clock }: Context,
  principal: UserPrincipal,
): Promise<SessionItem[]> {
  const rows = await listReachable(database.query, principal, clock())
  return rows.map((row) => ({
    id: row.public_id,
    role: row.role,
    opened_by: row.isProvided ? 'provider' : row.api_key_id === null ? 'link' : 'key',
    key_name: row.key_name,
    created_at: formatTimestampUs(row.created_at_us),
    expires_at: formatTimestampUs(row.expires_at_us),
    address: row.address,
    user_agent: row.user_agent,
    is_current: row.hash === principal.sessionHash,
  }))
}

/** @throws HttpError NOT_FOUND */
export async function deleteSession(
  { database, clock, recordChange }: Context,
  principal: UserPrincipal,
  id: string,
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const rows = await listReachable(query, principal, clock())
    const found = rows.find(({ public_id: publicId }) => publicId === id.toLowerCase())
    if (!found) throw notFound(`session with the id "${id}"`)
    await deleteRow(query, found.hash)
    const { address, user_agent } = found
    const session = await describeSession(query, principal.userId)
    await recordChange(transaction, { ...session, before: { sessions: 1, address, user_agent } })
    return { id: found.public_id }
  })
}

/** A key that others share must not reach the sessions of its owner that may do more. */
async function listReachable(query: Query, { userId, role }: UserPrincipal, nowUs: number) {
  const rows = await listSessionsOfUser(query, userId, nowUs)
  return rows.filter((row) => mayActAs(role, row.role))
}
