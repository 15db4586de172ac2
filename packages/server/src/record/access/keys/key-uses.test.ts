import { expect, it } from 'vitest'
import type { Database } from '../../../storage/database/database'
import { KeyUses } from './key-uses'

/** A database that takes writes, fails them, or keeps them waiting. */
function fakeDatabase(write: () => Promise<void>): { database: Database; writes: () => number } {
  let writes = 0
  const database = {
    write: () => {
      writes += 1
      return write()
    },
  } as unknown as Database
  return { database, writes: () => writes }
}

it('writes all uses in one transaction, and nothing when there are none', async () => {
  const { database, writes } = fakeDatabase(() => Promise.resolve())
  const uses = new KeyUses()
  await uses.flush(database)
  expect(writes()).toBe(0)
  for (let at = 1; at <= 100; at += 1) uses.note(at % 3, at)
  await uses.flush(database)
  await uses.flush(database)
  expect(writes()).toBe(1)
  expect(uses.lastUsedAtUs(1)).toBeUndefined()
})

it('keeps what could not be written', async () => {
  const uses = new KeyUses()
  uses.note(1, 10)
  await expect(uses.flush(fakeDatabase(() => Promise.reject(new Error('full'))).database)).rejects.toThrow(
    'full',
  )
  expect(uses.lastUsedAtUs(1)).toBe(10)
})

it('keeps a use that came while the one before was written', async () => {
  const uses = new KeyUses()
  uses.note(1, 10)
  await uses.flush(
    fakeDatabase(() => {
      uses.note(1, 20)
      return Promise.resolve()
    }).database,
  )
  expect(uses.lastUsedAtUs(1)).toBe(20)
})
