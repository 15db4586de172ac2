import { UNKNOWN_ID } from '../cases/unknown-id'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../world'
import { createFieldClient, PREFIXES } from './field-client'

/** docs/interface.md#clients-of-v2 and docs/interface.md#stations. */

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

const text = expect.any(String) as string

describe.each(PREFIXES)('below "%s"', (prefix) => {
  const ask = createFieldClient(() => world, prefix)

  const createTested = async (as: 'user' | 'station') => {
    const serialNumber = world.unique('Unit')
    const unit = { serial_number: serialNumber, part_number: 'PN-1', revision: 'A' }
    await ask('POST', '/v1/runs', { procedure_id: 'CONTRACT', unit_under_test: unit, run_passed: true }, as)
    const { body } = await ask('GET', `/v2/units/${serialNumber}`)
    return { serialNumber, id: String(body['id']), path: `/v2/units/${serialNumber}` }
  }

  const first = async (path: string): Promise<Record<string, unknown>> => {
    const { body } = await ask('GET', path)
    return (body['data'] as Record<string, unknown>[])[0] ?? {}
  }

  it('children answer the id of the child, and an invalid one is 400', async () => {
    const [box, card] = [await createTested('user'), await createTested('user')]
    const child = { child_serial_number: card.serialNumber }
    expect(await ask('PUT', `${box.path}/children`, child)).toEqual({ status: 200, body: { id: card.id } })
    const path = `${box.path}/children?child_serial_number=${card.serialNumber}`
    expect(await ask('DELETE', path)).toEqual({ status: 200, body: { id: card.id } })
    const again = await ask('DELETE', path)
    expect([again.status, again.body['message']]).toEqual([400, expect.stringContaining('is not a child of')])
  })

  it('users have a textual e-mail address and say whether they are banned', async () => {
    const user = { id: text, name: text, email: 'owner@localhost', banned: false, image: null }
    expect((await ask('GET', '/v2/users')).body).toContainEqual(user)
    // The role is our addition.
    expect((await ask('GET', '/v2/users?current=true')).body).toEqual([{ ...user, role: 'admin' }])
  })

  it('procedures in lists have their last runs, a yield and a textual identifier', async () => {
    const name = world.unique('Burn in')
    const { body: created } = await ask('POST', '/v2/procedures', { name })
    const path = `/v2/procedures?search_query=${encodeURIComponent(name)}`
    expect(await first(path)).toMatchObject({ runs: [], fpy: null, identifier: name.replace(' ', '-') })
    const run = { unit_under_test: { serial_number: world.unique('SN') }, run_passed: false }
    const { body } = await ask('POST', '/v1/runs', {
      ...run,
      procedure_id: name.replace(' ', '-').toUpperCase(),
    })
    expect(await first(path)).toMatchObject({
      runs: [{ id: body['id'], outcome: 'FAIL', unit: { serial_number: run.unit_under_test.serial_number } }],
    })
    const again = await ask('POST', '/v2/procedures', { name })
    const { body: second } = await ask('GET', `/v2/procedures/${String(again.body['id'])}`)
    expect(second['identifier']).toMatch(new RegExp(`^${name.replace(' ', '-')}-[0-9a-f]{8}$`))
    expect(again.body['id']).not.toBe(created['id'])
  })

  it('batches in lists have their units', async () => {
    const number = world.unique('Batch')
    await ask('POST', '/v2/batches', { number })
    expect(await first(`/v2/batches?numbers=${number}`)).toMatchObject({ units: [], unit_count: 0 })
    const { path, serialNumber } = await createTested('user')
    await ask('PATCH', path, { batch_number: number })
    expect(await first(`/v2/batches?numbers=${number}`)).toMatchObject({
      unit_count: 1,
      units: [{ id: text, serial_number: serialNumber, part: { number: 'PN-1', revision: { number: 'A' } } }],
    })
  })

  it('stations have a connection status, and they and their procedures a textual identifier', async () => {
    const name = world.unique('Final bench')
    await ask('POST', '/v2/stations', { name, procedure_id: 'CONTRACT' })
    expect(await first('/v2/stations?limit=1')).toMatchObject({
      name,
      identifier: name.replace(' ', '-'),
      connection_status: null,
      procedures: [{ id: world.procedureId, identifier: 'CONTRACT' }],
    })
    const identifier = world.unique('STA')
    const { body } = await ask('POST', '/v2/stations', { name, identifier })
    const { body: station } = await ask('GET', `/v2/stations/${String(body['id'])}`)
    expect(station).toMatchObject({ identifier, connection_status: null })
    expect(body).toMatchObject({ name, identifier })
    const { body: procedure } = await ask('POST', '/v2/procedures', { name: world.unique('Linked') })
    await ask('PUT', `/v2/stations/${String(body['id'])}/procedures/${String(procedure['id'])}`)
    const { body: detail } = await ask('GET', `/v2/procedures/${String(procedure['id'])}`)
    expect(detail).toMatchObject({ stations: [{ name, identifier }] })
  })

  it('deleted units are answered as ids and id', async () => {
    const { id, serialNumber } = await createTested('user')
    const answered = await ask('DELETE', `/v2/units?serial_numbers=${serialNumber}`)
    expect(answered).toEqual({ status: 200, body: { ids: [id], id: [id] } })
  })

  it('an empty image_id removes the image of a revision, a part, a unit and a station', async () => {
    const { path } = await createTested('user')
    const { body: station } = await ask('POST', '/v2/stations', { name: 'Pictured' })
    await ask('POST', '/v2/parts', { number: 'PICTURED' })
    for (const owner of [
      '/v2/parts/PICTURED/revisions/A',
      '/v2/parts/PICTURED',
      path,
      `/v2/stations/${String(station['id'])}`,
    ]) {
      const image = await world.uploadAttachment('picture.png')
      expect((await ask('PATCH', owner, { image_id: image })).status).toBe(200)
      expect((await ask('GET', owner)).body).toMatchObject({ image_id: image })
      expect((await ask('PATCH', owner, { image_id: UNKNOWN_ID })).status).toBe(404)
      expect((await ask('PATCH', owner, { image_id: '' })).status).toBe(200)
      expect((await ask('GET', owner)).body).toMatchObject({ image_id: null })
    }
  })

  it('the bytes of an image cannot be replaced by their upload address', async () => {
    const { body } = await ask('POST', '/v2/attachments', { name: 'picture.png' })
    const put = (bytes: string) => fetch(String(body['upload_url']), { method: 'PUT', body: bytes })
    expect((await put('picture')).status).toBe(200)
    await ask('POST', '/v2/parts', { number: 'IMAGE-KEPT' })
    await ask('PATCH', '/v2/parts/IMAGE-KEPT', { image_id: body['id'] })
    expect((await put('something else')).status).toBe(409)
    expect((await put('picture')).status).toBe(200)
  })

  it('stations are not for station keys, but each its own', async () => {
    const { body: other } = await ask('POST', '/v2/stations', { name: 'Other' })
    for (const [path, status] of [
      ['/v2/stations', 403],
      [`/v2/stations/${String(other['id'])}`, 403],
      [`/v2/stations/${UNKNOWN_ID}`, 404],
      ['/v2/stations/none-such', 400],
    ] as const)
      expect([path, (await ask('GET', path, undefined, 'station')).status]).toEqual([path, status])
    for (const path of ['/v2/stations/current', `/v2/stations/${world.stationId}`])
      expect((await ask('GET', path, undefined, 'station')).body).toMatchObject({ id: world.stationId })
  })

  it('a search finds a run by the beginning of its id', async () => {
    const id = await world.createRun()
    const found = await ask('GET', `/v2/runs?search_query=${id.slice(0, 13).toUpperCase()}`)
    expect(found.body['data']).toMatchObject([{ id }])
  })

  it('a station changes units and deletes attachments of those that its own runs are about, and no others', async () => {
    for (const [owner, status] of [
      ['station', 200],
      ['user', 403],
    ] as const) {
      const { path, serialNumber } = await createTested(owner)
      const attachment = await world.uploadAttachment()
      await ask('PATCH', path, { attachments: [attachment] })
      const deleted = await ask('DELETE', `${path}/attachments?ids=${attachment}`, undefined, 'station')
      expect(deleted.status).toBe(status)
      const renamed = await ask('PATCH', path, { new_serial_number: `${serialNumber}-b` }, 'station')
      expect(renamed.status).toBe(status)
      if (status === 403) expect(renamed.body).toMatchObject({ code: 'FORBIDDEN', message: text })
    }
    const { path } = await createTested('station')
    const change = { metadata: { site: 'Lyon' }, sample: 'golden', part_number: 'PN-1' }
    expect((await ask('PATCH', path, change, 'station')).status).toBe(200)
    expect((await ask('PATCH', path, { new_serial_number: 'taken over' }, 'other-station')).status).toBe(403)
    expect((await ask('PATCH', path, change, 'other-station')).status).toBe(403)
  })

  it('a station moves no unit that is not its own, but a run of it builds in any', async () => {
    const [foreign, held, free, own, tested] = [
      await createTested('user'),
      await createTested('user'),
      await createTested('user'),
      await createTested('station'),
      await createTested('station'),
    ]
    await ask('PUT', `${foreign.path}/children`, { child_serial_number: held.serialNumber })
    const children = async (path: string) =>
      ((await ask('GET', path)).body['children'] as { id: string }[]).map(({ id }) => id)
    const take = (child: { serialNumber: string }) => [
      ask('PUT', `${own.path}/children`, { child_serial_number: child.serialNumber }, 'station'),
      ask('PATCH', own.path.replace('v2', 'v1'), sub(child), 'station'),
      ask('PATCH', '/v1/units', { serial_number: own.serialNumber, ...sub(child) }, 'station'),
    ]
    const sub = ({ serialNumber }: { serialNumber: string }) => ({
      sub_units: [{ serial_number: serialNumber }],
    })
    for (const refused of await Promise.all([...take(held), ...take(free)]))
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect([await children(foreign.path), await children(own.path)]).toEqual([[held.id], []])
    for (const taken of await Promise.all(take(tested))) expect(taken.status).toBe(200)
    expect(await children(own.path)).toEqual([tested.id])

    const unit = { serial_number: own.serialNumber, part_number: 'PN-1', revision: 'A' }
    const run = { procedure_id: 'CONTRACT', unit_under_test: unit, run_passed: true, ...sub(held) }
    expect((await ask('POST', '/v1/runs', run, 'station')).status).toBe(200)
    expect(new Set(await children(own.path))).toEqual(new Set([tested.id, held.id]))
  })
})
