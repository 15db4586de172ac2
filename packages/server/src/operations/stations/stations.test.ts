import type { IssuedKey, Page, StationListItem } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResponse, minimalRun, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const answer = createResponse(() => server)

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function createStation(
  name: string,
  procedure?: string,
): Promise<{ id: string; as: Record<string, string> }> {
  const { id } = await answer<{ id: string }>('POST', '/v2/stations', { name, procedure_id: procedure })
  const key = await answer<IssuedKey>('POST', '/v2/keys', { kind: 'station', name, station_id: id })
  return { id, as: { authorization: `Bearer ${key.key}` } }
}

describe('stations', () => {
  it('are listed newest first, page by page, and found by name and procedure', async () => {
    for (const name of ['Ångström 1', 'ångström 2', '100% done']) await createStation(name)
    const first = await answer<Page<StationListItem>>('GET', '/v2/stations?limit=1&search_query=%C3%85NGSTR')
    expect(first.data.map(({ name }) => name)).toEqual(['ångström 2'])
    const next = `/v2/stations?limit=1&search_query=%C3%A5ngstr&cursor=${first.meta.next_cursor}`
    expect((await answer<Page<StationListItem>>('GET', next)).data.map(({ name }) => name)).toEqual([
      'Ångström 1',
    ])
    const literal = await answer<Page<StationListItem>>('GET', '/v2/stations?search_query=0%25')
    expect(literal.data.map(({ name }) => name)).toEqual(['100% done'])
    const none = await answer<Page<StationListItem>>('GET', '/v2/stations?search_query=no-such-thing&cursor=')
    expect(none).toEqual({ data: [], meta: { has_more: false, next_cursor: null } })
  })

  it('count the runs that they created, of each procedure by itself', async () => {
    const { id, as } = await createStation('Counting', server.procedureId)
    await server.createRun({}, as)
    await server.createRun({}, as)
    await server.createRun()
    await answer('POST', '/v2/procedures', { name: 'Other', identifier: 'OTHER' })
    await answer('PUT', `/v2/stations/${id}/procedures/other`)
    expect(await answer('GET', `/v2/stations/${id}`)).toMatchObject({
      procedures: expect.arrayContaining([
        expect.objectContaining({ name: 'Other', runs_count: 0 }),
        expect.objectContaining({ runs_count: 2 }),
      ]) as unknown,
    })
    expect(await (await server.send('GET', '/v2/stations/current', undefined, as)).json()).toMatchObject({
      id,
    })
  })

  it('that are deleted leave the runs that they created', async () => {
    const { id, as } = await createStation('Leaving', server.procedureId)
    const run = await server.createRun({}, as)
    await answer('DELETE', `/v2/stations/${id}`)
    expect((await server.send('GET', `/v2/runs/${run.id}`)).status).toBe(200)
    expect((await server.send('POST', '/v1/runs', minimalRun(server.procedureId), as)).status).toBe(401)
    const key = { kind: 'station', name: 'Late', station_id: id }
    expect((await server.send('POST', '/v2/keys', key)).status).toBe(404)
    expect((await server.send('PUT', `/v2/stations/${id}/procedures/${server.procedureId}`)).status).toBe(404)
  })

  it('keep their picture for as long as they have it', async () => {
    const { id } = await createStation('Pictured')
    const image = await server.upload('bench.png', 'a picture')
    const address = await server.send('POST', `/v2/attachments/${image}/finalize`)
    expect(address.status).toBe(200)
    await answer('PATCH', `/v2/stations/${id}`, { image_id: image })
    expect(await answer('GET', `/v2/stations/${id}`)).toMatchObject({ image_id: image, image: null })
    const begun = await answer<{ id: string }>('POST', '/v2/attachments', { name: 'never sent.png' })
    expect((await server.send('PATCH', `/v2/stations/${id}`, { image_id: begun.id })).status).toBe(404)
  })
})

it('creates units, parts, revisions and batches only where runs may, and while a procedure is linked to it', async () => {
  await server.createRun()
  const linked = await createStation('Linked', server.procedureId)
  const unlinked = await createStation('Unlinked')
  const requests: [path: string, body: object][] = [
    ['/v2/parts', { number: 'NEW-PART' }],
    ['/v2/parts/PART-1/revisions', { number: 'B' }],
    ['/v2/batches', { number: 'NEW-BATCH' }],
    ['/v2/units', { serial_number: 'NEW-UNIT', part_number: 'PART-1', revision_number: 'A' }],
  ]
  const nouns = ['part', 'revision', 'batch', 'unit']
  const setAll = (value: boolean) =>
    answer('PATCH', '/v2/settings', Object.fromEntries(nouns.map((noun) => [`auto_create.${noun}`, value])))
  const refusals = async (as: Record<string, string>) => {
    const responses = requests.map(async ([path, body]) => server.send('POST', path, body, as))
    return Promise.all(
      (await Promise.all(responses)).map(async (response) => {
        const { message = '' } = (await response.json()) as { message?: string }
        return `${response.status} ${message.split(/[:.]/)[0]}`
      }),
    )
  }
  const noLink = '403 This station is not authorized to create anything'
  expect(await refusals(unlinked.as)).toEqual([noLink, noLink, noLink, noLink])
  // A client that names no revision still knows which one is meant.
  await server.createRun({ unit_under_test: { serial_number: 'STRICT', part_number: 'PART-1' } })
  await setAll(false)
  expect(await refusals(linked.as)).toEqual([
    '403 Part creation failed',
    '403 Revision creation failed',
    '403 Batch creation failed',
    '403 Unit creation failed',
  ])
  await setAll(true)
  expect(await refusals(linked.as)).toEqual(['200 ', '200 ', '200 ', '200 '])
  await setAll(false)
  expect((await refusals(linked.as)).map((refusal) => refusal.slice(0, 3))).toEqual([
    '409',
    '409',
    '409',
    '409',
  ])
})
