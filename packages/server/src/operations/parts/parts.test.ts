import { PartDetailSchema, PartPageSchema, RevisionDetailSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAsk, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const ask = createAsk(() => server)

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function createPart(number: string, more: object = {}): Promise<string> {
  return (await ask<{ id: string }>('POST', '/v2/parts', { number, ...more })).body.id
}

async function getPart(number: string) {
  return PartDetailSchema.parse((await ask('GET', `/v2/parts/${encodeURIComponent(number)}`)).body)
}

async function getRevision(part: string, number: string) {
  return RevisionDetailSchema.parse((await ask('GET', `/v2/parts/${part}/revisions/${number}`)).body)
}

describe('parts', () => {
  it('have the default revision, or the one sent, and are named after their number', async () => {
    const id = await createPart('Lamp/1 %', {})
    expect(await getPart('LAMP/1 % ')).toMatchObject({
      id,
      number: 'Lamp/1 %',
      name: 'Lamp/1 %',
      revisions: [{ number: 'A', image: null }],
      created_by_station: null,
    })
    await createPart('FAN', { name: 'Fan', revision_number: 'B2' })
    expect(await getPart('fan')).toMatchObject({ name: 'Fan', revisions: [{ number: 'B2' }] })
  })

  it('have numbers of their own, whatever the case', async () => {
    await createPart('ONCE')
    const again = await ask('POST', '/v2/parts', { number: ' once ' })
    expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect((again.body as { message: string }).message).toContain('already exists')
    await createPart('TWICE')
    expect((await ask('PATCH', '/v2/parts/TWICE', { new_number: 'once' })).status).toBe(409)
    expect(await ask('PATCH', '/v2/parts/TWICE', { new_number: 'Twice' })).toMatchObject({
      status: 200,
      body: { number: 'Twice', name: 'TWICE' },
    })
    expect((await getPart('TWICE')).number).toBe('Twice')
  })

  it('are not deleted while units or runs refer to them', async () => {
    const unit = { serial_number: 'U-1', part_number: 'USED', revision: 'A' }
    await server.createRun({ unit_under_test: unit })
    await server.createRun({ unit_under_test: { ...unit, revision: 'B' } })
    const refused = await ask('DELETE', '/v2/parts/used')
    expect(refused.status).toBe(409)
    expect((refused.body as { message: string }).message).toContain('1 unit and 2 runs')
    expect((await ask('DELETE', '/v2/parts/USED/revisions/a')).status).toBe(409)
    await ask('DELETE', '/v2/units?serial_numbers=U-1')
    const revisions = (await getPart('USED')).revisions.map(({ id }) => id)
    expect((await ask('DELETE', '/v2/parts/USED')).body).toMatchObject({ deletedRevisionIds: revisions })
    expect((await ask('GET', '/v2/parts/USED')).status).toBe(404)
  })

  it('are listed in every order, page by page, and found by number, name and procedure', async () => {
    const list = async (query: string) =>
      PartPageSchema.parse((await ask('GET', `/v2/parts?search_query=list-&${query}`)).body)
    for (const [number, name] of [
      ['list-b', 'Same'],
      ['LIST-a', 'same'],
      ['list-C', 'Älso'],
    ])
      await createPart(number ?? '', { name })
    const expected = {
      '': 'Cab',
      'sort_order=asc': 'baC',
      'sort_by=number': 'Cba',
      'sort_by=number&sort_order=asc': 'abC',
      'sort_by=name&sort_order=asc': 'baC',
      'sort_by=&sort_order=': 'Cab',
    }
    for (const [query, numbers] of Object.entries(expected)) {
      let paged = ''
      for (let cursor = ''; ;) {
        const page = await list(`${query}&limit=1${cursor}`)
        paged += page.data.map(({ number }) => number.slice(-1)).join('')
        if (!page.meta.has_more) break
        cursor = `&cursor=${page.meta.next_cursor}`
      }
      expect(paged, query).toBe(numbers)
    }
    const found = async (query: string) =>
      PartPageSchema.parse((await ask('GET', `/v2/parts?${query}`)).body).data.map(({ number }) => number)
    expect(await found(`search_query=${encodeURIComponent('Äls')}`)).toEqual(['list-C'])
    await server.createRun({ unit_under_test: { serial_number: 'U-2', part_number: 'list-b' } })
    expect(await found(`procedure_ids=${server.procedureId}&search_query=list`)).toEqual(['list-b'])
    expect(await found('procedure_ids=other')).toEqual([])
  })
})

describe('revisions', () => {
  it('belong to one part, and are renamed and deleted by number', async () => {
    await createPart('REV')
    expect((await ask('POST', '/v2/parts/rev/revisions', { number: 'B' })).status).toBe(200)
    expect((await ask('POST', '/v2/parts/REV/revisions', { number: 'b' })).status).toBe(409)
    expect((await ask('POST', '/v2/parts/none/revisions', { number: 'b' })).status).toBe(404)
    expect((await ask('PATCH', '/v2/parts/REV/revisions/B', { number: 'a' })).status).toBe(409)
    expect((await ask('PATCH', '/v2/parts/REV/revisions/B', { number: 'C/1' })).status).toBe(200)
    await server.createRun({
      unit_under_test: { serial_number: 'R-1', part_number: 'REV', revision: 'c/1' },
    })
    expect(await getRevision('REV', 'C%2F1')).toMatchObject({
      number: 'C/1',
      part: { number: 'REV' },
      units: [{ serial_number: 'R-1' }],
    })
    expect((await ask('DELETE', '/v2/parts/REV/revisions/A')).status).toBe(200)
    expect(await ask('GET', '/v2/parts/REV/revisions/A')).toMatchObject({
      status: 404,
      body: { message: 'The revision "A" of the part "REV" was not found.' },
    })
  })

  it('have an attachment that was received as their image', async () => {
    await createPart('IMG')
    const path = '/v2/parts/IMG/revisions/A'
    const begun = await ask<{ id: string }>('POST', '/v2/attachments', { name: 'late.png' })
    expect((await ask('PATCH', path, { image_id: begun.body.id })).status).toBe(404)
    const image = await server.upload('image.png', 'picture')
    expect((await ask('PATCH', path, { image_id: image })).status).toBe(200)
    expect((await getRevision('IMG', 'A')).image_id).toBe(image)
  })
})
