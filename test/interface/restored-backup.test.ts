import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { backUp, restore } from '../../packages/server/src/index'
import { checkData } from '../../packages/server/src/upkeep/check-data'
import { startTestServer } from '../../packages/server/src/testing/start-test-server'
import { isOnPostgres } from '../../packages/server/src/testing/test-database'
import { walkAnswers } from '../support/walk-answers'
import { createWholeRun } from './sample-run'
import { createWorld, type World } from './world'

let folder: string
let world: World

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-restored-'))
  world = await createWorld()
  await fill(world)
})

afterAll(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Something of everything, and more runs than a page has. */
async function fill({ client, uploadAttachment, createRun, unique }: World): Promise<void> {
  const first = await client.createRun({ body: createWholeRun(world) as never })
  const attachments = [await uploadAttachment('log.txt'), await uploadAttachment('screen.png')]
  await client.updateRun({ params: { id: first.id }, body: { attachments } })
  for (let count = 0; count < 60; count += 1) await createRun(`SERIAL-${count % 7}`)
  await client.updateUnit({
    params: { serial_number: 'SERIAL-1' },
    body: { attachments: [await uploadAttachment()] },
  })
  await client.createRevision({ params: { part_number: 'PN-1' }, body: { number: unique('R') } })
  await client.updateSettings({ body: { 'organization.slug': 'acme' } })
  const gone = await createRun('SERIAL-GONE')
  await client.deleteRuns({ query: { ids: [gone] } })
}

it.skipIf(isOnPostgres)(
  'a backup restored elsewhere answers every GET as the service does that it was made of',
  async () => {
    const backup = path.join(folder, 'backup')
    const data = path.join(folder, 'restored')
    const { missing } = await backUp(world.server.dataDir, backup)
    expect(missing).toEqual([])
    await restore(backup, data)
    const restored = await startTestServer({ data })
    try {
      // The key of the original: those that were issued work on.
      const headers = { authorization: `Bearer ${world.server.apiKey}` }
      const expected = await walkAnswers((pathname) => fetch(world.server.url + pathname, { headers }))
      const answers = await walkAnswers((pathname) => fetch(restored.url + pathname, { headers }))
      expect([...expected.keys()].filter((each) => each.startsWith('bytes of'))).toHaveLength(3)
      expect(expected.size).toBeGreaterThan(100)
      expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(expected))
    } finally {
      await restored.stop()
    }
    expect(await checkData(data, { bytes: true })).toMatchObject({ ok: true, leftover_files: 0 })
  },
)
