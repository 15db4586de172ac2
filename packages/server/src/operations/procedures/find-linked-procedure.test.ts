import { expect, it } from 'vitest'
import type { Context } from '../call/context'
import type { Transaction } from '../../storage/database/database'
import { findLinkedProcedure } from '../call/subjects'

/** A database without anything. */
const transaction = { all: () => Promise.resolve([]) } as unknown as Transaction
const scope = { context: {} as Context, transaction }
const station = { kind: 'station', stationId: 1 } as const
const user = { kind: 'user', userId: 1, role: 'admin', keyId: 1 } as const

it('tells a user that there is no procedure', async () => {
  const found = findLinkedProcedure({ ...scope, principal: user }, { procedure_id: 'FVT1' })
  await expect(found).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('refuses a station where there is no procedure just as where it is not linked', async () => {
  const found = findLinkedProcedure({ ...scope, principal: station }, { procedure_id: 'FVT1' })
  await expect(found).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message:
      'This station is not authorized to create runs of the procedure "FVT1". Link the procedure to the station first.',
  })
})
