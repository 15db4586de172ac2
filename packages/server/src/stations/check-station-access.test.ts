import { expect, it } from 'vitest'
import type { Query } from '../database/database'
import { checkStationMayCreate } from './check-station-access'

const unreadable = undefined as unknown as Query

it('lets a user create runs of any procedure', async () => {
  await checkStationMayCreate(
    unreadable,
    { kind: 'user', userId: 1, keyId: 1 },
    { key: 1, identifier: 'FVT1' },
  )
})

it('refuses a station where there is no procedure just as where it is not linked', async () => {
  const station = { kind: 'station', stationId: 1 } as const
  const check = checkStationMayCreate(unreadable, station, { key: undefined, identifier: 'FVT1' })
  await expect(check).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message:
      'This station is not authorized to create runs of the procedure "FVT1". Link the procedure to the station first.',
  })
})
