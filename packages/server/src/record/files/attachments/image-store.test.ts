import { afterAll, beforeAll, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { resolveServerConfig } from '../../../base/config/server-config'
import { createContext, type OpenContext } from '../../../open-context'
import { ensureCredentials } from '../../../operations/first-start/ensure-credentials'
import type { UserPrincipal } from '../../access/keys/principal'
import { createStation, deleteStation, updateStation } from '../../../operations/stations/handlers'
import { sweepAttachments } from '../../../upkeep/sweep'
import { findFirstUser } from '../../access/users/store'
import { receiveAttachment } from './bytes'
import { initializeAttachment } from '../../../operations/attachments/handlers'
import { findAttachment } from './store'

let folder: string
let context: OpenContext
let principal: UserPrincipal
let offsetUs = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-images-'))
  context = await createContext(
    resolveServerConfig({ data: folder, projectDir: folder, publicUrl: 'http://x.test' }, {}),
    { clock: () => Date.now() * 1000 + offsetUs },
  )
  await ensureCredentials(context)
  principal = {
    kind: 'user',
    userId: (await findFirstUser(context.database.query))?.id ?? 0,
    role: 'admin',
    keyId: null,
  }
})

afterAll(async () => {
  await context.close()
  await rm(folder, { recursive: true, force: true })
})

async function upload(): Promise<string> {
  const { id } = await initializeAttachment(context, principal, { name: 'bench.png' })
  const body = Readable.from([Buffer.from(`picture ${randomUUID()}`)])
  await receiveAttachment(context, id, { body, contentType: undefined, contentLength: undefined })
  return id
}

async function isKept(id: string): Promise<boolean> {
  return (await findAttachment(context.database.query, id)) !== undefined
}

it('keeps the picture of a station until the station has another or is deleted', async () => {
  const station = await createStation(context, principal, { name: 'Bench', procedure_id: undefined })
  const [first, second] = [await upload(), await upload()]
  const change = { name: undefined, team_id: undefined }
  await updateStation(context, station.id, { ...change, image_id: first })
  const sweep = () => sweepAttachments(context, new AbortController().signal)
  offsetUs += 25 * 3600 * 1_000_000
  expect([await sweep(), await isKept(first), await isKept(second)]).toEqual([1, true, false])
  const third = await upload()
  await updateStation(context, station.id, { ...change, image_id: third })
  offsetUs += 25 * 3600 * 1_000_000
  expect([await sweep(), await isKept(first), await isKept(third)]).toEqual([1, false, true])
  await deleteStation(context, station.id)
  expect([await sweep(), await isKept(third)]).toEqual([1, false])
})

it('takes no other bytes for an attachment that is the picture of a station, only the same again', async () => {
  const station = await createStation(context, principal, { name: 'Guarded', procedure_id: undefined })
  const { id } = await initializeAttachment(context, principal, { name: 'bench.png' })
  const receive = (text: string) =>
    receiveAttachment(context, id, {
      body: Readable.from([Buffer.from(text)]),
      contentType: undefined,
      contentLength: undefined,
    })
  await receive('first')
  await receive('second')
  await updateStation(context, station.id, { name: undefined, team_id: undefined, image_id: id })
  await receive('second')
  await expect(receive('third')).rejects.toMatchObject({ code: 'CONFLICT' })
  await deleteStation(context, station.id)
})
