import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResponse, minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
/** Keys of two stations, linked to the procedure of the server. */
let [station, other] = ['', '']

const get = createResponse(() => server)

beforeAll(async () => {
  server = await startTestServer()
  ;[station, other] = [await createStation('bench 1'), await createStation('bench 2')]
})

afterAll(() => server.stop())

async function createStation(name: string): Promise<string> {
  const { id } = await get<{ id: string }>('POST', '/v2/stations', { name, procedure_id: server.procedureId })
  return (await get<{ key: string }>('POST', '/v2/keys', { kind: 'station', name, station_id: id })).key
}

async function send(key: string, method: string, path: string, body?: unknown) {
  const response = await server.send(method, path, body, { authorization: `Bearer ${key}` })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function createRun(key: string, serialNumber: string): Promise<string> {
  const unit_under_test = { serial_number: serialNumber, part_number: 'PART-1', revision: 'A' }
  const body = { ...minimalRun(server.procedureId), unit_under_test }
  return (await send(key, 'POST', '/v1/runs/create', body)).body['id'] ?? ''
}

async function upload(key: string): Promise<string> {
  const { body } = await send(key, 'POST', '/v2/attachments', { name: 'photo.png' })
  await fetch(body['upload_url'] ?? '', { method: 'PUT', body: 'photo' })
  return body['id'] ?? ''
}

describe('a unit that is in no other', () => {
  const move = (key: string, child: string) => [
    () => send(key, 'PUT', '/v2/units/CASE/children', { child_serial_number: child }),
    () => send(key, 'PATCH', '/v1/units/CASE', { sub_units: [{ serial_number: child }] }),
  ]
  const parentOf = async (serialNumber: string) =>
    (await get<{ parent: object | null }>('GET', `/v2/units/${serialNumber}`)).parent

  it('is moved by no station that has no run about it, and did not create it', async () => {
    await createRun(station, 'CASE')
    await createRun(server.apiKey, 'BOARD')
    for (const request of move(station, 'BOARD')) {
      expect(await request()).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('not authorized to change the unit "BOARD"') as string },
      })
    }
    expect(await parentOf('BOARD')).toBeNull()
    await createRun(station, 'BOARD')
    for (const request of move(station, 'BOARD')) expect((await request()).status).toBe(200)
    expect(await parentOf('BOARD')).toMatchObject({ serial_number: 'CASE' })
  })

  it('is a sub-unit of what a run was built of, whoever created it', async () => {
    await createRun(other, 'MOTOR')
    const run = { ...minimalRun(server.procedureId), sub_units: [{ serial_number: 'MOTOR' }] }
    expect((await send(station, 'POST', '/v1/runs/create', run)).status).toBe(200)
    expect(await parentOf('MOTOR')).toMatchObject({ serial_number: 'UNIT-1' })
  })
})

describe('an upload that is linked to nothing', () => {
  it('is linked by no other station that knows its id', async () => {
    const run = await createRun(station, 'PHOTOGRAPHED')
    for (const owner of [server.apiKey, other]) {
      const id = await upload(owner)
      const answers = [
        await send(station, 'PATCH', `/v2/runs/${run}`, { attachments: [id] }),
        await send(station, 'POST', '/v1/uploads/sync', { upload_id: id, run_id: run }),
        await send(station, 'PATCH', '/v2/units/PHOTOGRAPHED', { attachments: [id] }),
        await send(station, 'PATCH', '/v2/units/PHOTOGRAPHED', { image_id: id }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
      expect(answers[0]?.body['message']).toMatch(/among the uploads of this station was not found. Upload/)
    }
    expect((await server.getRun(run)).attachments).toEqual([])
  })

  it('is linked by its own station and by users', async () => {
    const run = await createRun(station, 'LINKED')
    const [first, second] = [await upload(station), await upload(station)]
    expect((await send(station, 'PATCH', `/v2/runs/${run}`, { attachments: [first] })).status).toBe(200)
    expect((await send(server.apiKey, 'PATCH', `/v2/runs/${run}`, { attachments: [second] })).status).toBe(
      200,
    )
    // The same again changes nothing, whoever uploaded it.
    expect((await send(other, 'PATCH', `/v2/runs/${run}`, { attachments: [first] })).status).toBe(200)
  })
})
