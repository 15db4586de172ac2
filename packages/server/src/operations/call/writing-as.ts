import { type Operation, type OperationName, OPERATIONS } from '@runledger/protocol'
import type { Context } from './context'
import { readingFrom, type Transaction } from '../../storage/database/database'
import { HttpError } from '../../base/errors'
import { createRecordChange } from '../../record/access/audit/record-change'
import type { Principal } from '../../record/access/keys/principal'
import { refuseRevokedKey } from '../../record/access/keys/store'
import { refuseEndedSession } from '../../record/access/sessions/store'
import { hasLink } from '../../record/access/stations/store'

interface Writer {
  principal: Principal
  operation: OperationName
  /** IP address of the client. */
  address: string | undefined
}

/** Each write first checks in its transaction that the key was not revoked, the session not ended, and the station not unlinked, since the request began. */
export function writingAs(context: Context, { principal, operation, address }: Writer): Context {
  const { database, clock } = context
  const { access }: Operation = OPERATIONS[operation]
  const check = async (transaction: Transaction): Promise<void> => {
    if (principal.keyHash !== undefined) await refuseRevokedKey(transaction, principal.keyHash, clock())
    if (principal.kind === 'user' && principal.sessionHash !== undefined)
      await refuseEndedSession(transaction, principal.sessionHash, clock())
    if (access === 'linked-station') await refuseUnlinked(transaction, principal)
  }
  return {
    ...context,
    recordChange: createRecordChange(context, { operation, principal, address }),
    database: {
      ...readingFrom(database, database.query),
      read: (work, options) => database.read(work, options),
      write: (work) =>
        database.write(async (transaction) => {
          await check(transaction)
          return work(transaction)
        }),
    },
  }
}

async function refuseUnlinked({ query }: Transaction, principal: Principal): Promise<void> {
  if (principal.kind !== 'station' || (await hasLink(query, principal.stationId))) return
  throw new HttpError(
    'FORBIDDEN',
    'This station is not authorized to create anything: no procedure is linked to it. Link a procedure to the station first.',
  )
}
