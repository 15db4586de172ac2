import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { resolveServerConfig } from '../config/server-config'
import { type Context, createContext } from '../context'
import { ensureCredentials } from '../first-start/ensure-credentials'
import { createTestDatabase, dropTestDatabase } from '../testing/test-database'
import { KEY_HANDLERS } from './handlers'
import type { UserPrincipal } from './principal'
import { hashSecret } from './store'

let folder: string
let context: Context
let starter: UserPrincipal

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-revoked-'))
  const database = await createTestDatabase(folder)
  const flags = { data: folder, projectDir: folder, publicUrl: 'http://x.test', database }
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined }
  context = await createContext(resolveServerConfig(flags, {}), { clock: () => Date.now() * 1000, log })
  starter = { kind: 'user', userId: await ensureCredentials(context), keyId: null }
})

afterEach(async () => {
  await context.close()
  await dropTestDatabase(folder)
  await rm(folder, { recursive: true, force: true })
})

const call = (principal: UserPrincipal) => ({ context, principal, headers: {}, query: undefined })

const create = async (principal: UserPrincipal) =>
  (await KEY_HANDLERS.createKey({
    ...call(principal),
    params: {},
    body: { kind: 'user', name: 'Key', station_id: undefined, expires_at: undefined },
  })) as { id: string; key: string }

it('a request that was let in before its key was revoked makes, regenerates and deletes no key after', async () => {
  const other = await create(starter)
  const { id, key } = await create(starter)
  const principal: UserPrincipal = { ...starter, keyHash: hashSecret(key) }
  await create(principal)
  const of = (about: string) => ({ ...call(principal), params: { id: about }, body: undefined })
  await KEY_HANDLERS.deleteKey(of(id))
  const refused = { code: 'UNAUTHORIZED' }
  await expect(create(principal)).rejects.toMatchObject(refused)
  await expect(KEY_HANDLERS.regenerateKey(of(other.id))).rejects.toMatchObject(refused)
  await expect(KEY_HANDLERS.deleteKey(of(other.id))).rejects.toMatchObject(refused)
})
