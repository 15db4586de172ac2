import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createExecution } from '../../packages/core/src/execution'
import { createSuite, createTest, FACTS } from '../support/suites'
import { UNKNOWN_ID } from './cases/unknown-id'
import { createWorld, type World } from './world'

let world: World
let folder: string

beforeAll(async () => {
  world = await createWorld()
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-project-key-'))
})

afterAll(async () => {
  await world.stop()
  await rm(folder, { recursive: true, force: true })
})

it('a reporter puts a run with its file on record, of the procedure of the key alone', async () => {
  const report = async (procedureId: string) => {
    const execution = createExecution(
      { ...FACTS, rootDir: folder },
      {
        url: world.server.url,
        apiKey: world.keys.project ?? '',
        procedureId,
        spoolDir: path.join(folder, procedureId),
      },
      { env: {}, print: () => undefined },
    )
    const attachments = [{ name: 'shot.png', bytes: Buffer.from('png'), contentType: 'image/png' }]
    execution.addSuite(createSuite({ tests: [createTest(['draws'])], attachments }))
    return (await execution.finish()).status
  }
  expect(await report('CONTRACT')).toBe('uploaded')
  const { data } = await world.client.listRuns({ query: {} })
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({ created_by_user: null, created_by_station: null })
  const run = await world.server.getRun(data[0]?.id)
  expect(run.attachments).toContainEqual(expect.objectContaining({ name: 'shot.png' }))
  expect(await report('Other-procedure')).not.toBe('uploaded')
  expect((await world.client.listRuns({ query: {} })).data).toHaveLength(1)
})

it('a project key links no upload of a user or of another project key', async () => {
  const link = async (id: string) => {
    const body = { attachments: [id] }
    const authorization = `Bearer ${world.keys.project}`
    return world.server.send('PATCH', `/v2/runs/${await world.createRun()}`, body, { authorization })
  }
  expect((await link(await world.uploadAttachment('own.txt', 'project'))).status).toBe(200)
  expect((await link(await world.uploadAttachment('foreign.txt'))).status).toBe(404)
  expect((await link(await world.uploadAttachment('other.txt', 'other-project'))).status).toBe(404)
  const ofRun = await world.uploadAttachment('linked.txt')
  await world.client.updateRun({ params: { id: await world.createRun() }, body: { attachments: [ofRun] } })
  expect((await link(ofRun)).status).toBe(404)
})

it('a project key imports no upload of another project key', async () => {
  const importAs = async (as: 'project' | 'other-project') => {
    const body = { upload_id: await world.uploadAttachment('report.json', as), importer: 'OPENHTF' }
    const response = await world.server.send('POST', '/v1/import', body, {
      authorization: `Bearer ${world.keys.project}`,
    })
    return ((await response.json()) as { message: string }).message
  }
  expect(await importAs('other-project')).toContain("is another's")
  expect(await importAs('project')).not.toContain("is another's")
})

it('a project key learns of no other procedure', async () => {
  const create = async (procedureId: string) => {
    const times = { started_at: '2026-11-20T09:30:00Z', ended_at: '2026-11-20T09:31:00Z' }
    const body = {
      procedure_id: procedureId,
      serial_number: 'S',
      part_number: 'P',
      outcome: 'PASS',
      ...times,
    }
    const response = await world.server.send('POST', '/v2/runs', body, {
      authorization: `Bearer ${world.keys.project}`,
    })
    const { message } = (await response.json()) as { message: string }
    return [response.status, message.replace(procedureId, '…')]
  }
  const { id } = await world.client.createProcedure({ body: { name: 'Hidden', identifier: 'HIDDEN' } })
  const hidden = await create('HIDDEN')
  expect(hidden[0]).toBe(403)
  for (const named of ['NONE', id, UNKNOWN_ID]) expect(await create(named)).toEqual(hidden)
})

it('a project key is deleted with its procedure', async () => {
  const { id } = await world.client.createProcedure({ body: { name: 'Short-lived' } })
  const body = { kind: 'project', name: 'CI', procedure_id: id } as const
  const { key } = await world.client.createKey({ body })
  const status = async () =>
    (await world.server.send('POST', '/v2/attachments', { name: 'a' }, { authorization: `Bearer ${key}` }))
      .status
  expect(await status()).toBe(200)
  await world.client.deleteProcedure({ params: { id } })
  expect(await status()).toBe(401)
})
