import { randomUUID } from 'node:crypto'
import { UnitDetailSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createAsk, startTestServer, type TestServer } from '../../testing/start-test-server'
import { isWithBucket } from '../../testing/test-database'

let server: TestServer
const ask = createAsk(() => server)

beforeAll(async () => {
  server = await startTestServer()
  await ask('POST', '/v2/parts', { number: 'LAMP' })
  await ask('POST', '/v2/parts/LAMP/revisions', { number: 'B' })
})

afterAll(() => server.stop())

const LAMP = { part_number: 'lamp', revision_number: 'a' }

async function createUnit(serialNumber: string, more: object = {}): Promise<string> {
  const created = await ask<{ id: string }>('POST', '/v2/units', {
    serial_number: serialNumber,
    ...LAMP,
    ...more,
  })
  return created.body.id
}

async function getUnit(serialNumber: string) {
  return UnitDetailSchema.parse((await ask('GET', `/v2/units/${encodeURIComponent(serialNumber)}`)).body)
}

async function change(serialNumber: string, body: object): Promise<number> {
  return (await ask('PATCH', `/v2/units/${encodeURIComponent(serialNumber)}`, body)).status
}

/** Always 0 with a bucket, which has the bytes then. */
async function storedFiles(): Promise<number> {
  const entries = await readdir(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

describe('create and get a unit', () => {
  it('gives back what was sent, found without regard to case', async () => {
    const metadata = { colour: 'red', weight: 1.5, sealed: true, zero: 0, text: '1' }
    const id = await createUnit('Sn/1 ü', { sample: 'golden', metadata })
    expect(await getUnit('SN/1 Ü')).toMatchObject({
      id,
      serial_number: 'Sn/1 ü',
      sample: 'golden',
      part: { number: 'LAMP', revision: { number: 'A' } },
      batch: null,
      parent: null,
      children: [],
      created_during: null,
      attachments: [],
      metadata,
    })
    expect((await ask('POST', '/v2/units', { serial_number: 'sn/1 Ü', ...LAMP })).status).toBe(409)
  })

  it('answers 404 for a part or a revision that does not exist, and creates neither', async () => {
    const send = (more: object) => ask('POST', '/v2/units', { serial_number: 'NEW', ...LAMP, ...more })
    expect((await send({ part_number: 'none' })).status).toBe(404)
    expect((await send({ revision_number: 'Z' })).status).toBe(404)
    expect((await ask('GET', '/v2/units/NEW')).status).toBe(404)
    expect((await ask('GET', '/v2/parts/none')).status).toBe(404)
  })
})

describe('change a unit', () => {
  it('merges metadata: null removes a name, the rest stays', async () => {
    await createUnit('META', { metadata: { keep: 1, drop: 'x', turn: 'text' } })
    expect(await change('meta', { metadata: { drop: null, turn: false, add: 'new', unknown: null } })).toBe(
      200,
    )
    expect((await getUnit('META')).metadata).toEqual({ keep: 1, turn: false, add: 'new' })
    expect(await change('META', { metadata: null })).toBe(200)
    expect(await change('META', { metadata: { bad: [1] } })).toBe(400)
    expect((await getUnit('META')).metadata).toEqual({ keep: 1, turn: false, add: 'new' })
  })

  it('renames it, unless another unit has the serial number', async () => {
    const id = await createUnit('OLD')
    await createUnit('TAKEN')
    expect(await change('OLD', { new_serial_number: 'taken' })).toBe(409)
    expect(await change('OLD', { new_serial_number: 'old' })).toBe(200)
    expect(await change('OLD', { new_serial_number: 'Renamed' })).toBe(200)
    expect((await getUnit('renamed')).id).toBe(id)
    expect((await ask('GET', '/v2/units/OLD')).status).toBe(404)
  })

  it('moves it to a part and revision that exist, and to a batch that it makes', async () => {
    await createUnit('MOVED')
    await ask('POST', '/v2/parts', { number: 'FAN', revision_number: '7' })
    expect(await change('MOVED', { revision_number: 'b' })).toBe(200)
    expect(await change('MOVED', { part_number: 'LAMP' })).toBe(200)
    expect((await getUnit('MOVED')).part).toMatchObject({ number: 'LAMP', revision: { number: 'B' } })
    expect(await change('MOVED', { part_number: 'fan', batch_number: 'B-1', sample: 'failing' })).toBe(200)
    expect(await change('MOVED', { batch_number: 'b-1', sample: null })).toBe(200)
    expect(await getUnit('MOVED')).toMatchObject({
      part: { number: 'FAN', revision: { number: '7' } },
      batch: { number: 'B-1' },
      sample: 'failing',
    })
    expect(await change('MOVED', { part_number: 'LAMP', revision_number: 'Z', batch_number: 'B-2' })).toBe(
      404,
    )
    expect(await change('MOVED', { part_number: 'none', batch_number: 'B-2' })).toBe(404)
    expect((await ask('GET', '/v2/batches/B-2')).status).toBe(404)
    expect(await change('none', {})).toBe(404)
  })
})

describe('units in units', () => {
  it('are put in and taken out', async () => {
    const id = await createUnit('BOX')
    const childId = await createUnit('CARD')
    const put = await ask('PUT', '/v2/units/box/children', { child_serial_number: 'card' })
    expect(put).toEqual({ status: 200, body: { id: childId } })
    expect((await getUnit('BOX')).children).toMatchObject([
      { serial_number: 'CARD', part: { number: 'LAMP' } },
    ])
    expect((await getUnit('CARD')).parent).toMatchObject({ id, part: { revision: { number: 'A' } } })
    const remove = '/v2/units/BOX/children?child_serial_number=CARD'
    expect(await ask('DELETE', remove)).toEqual({ status: 200, body: { id: childId } })
    expect((await getUnit('CARD')).parent).toBeNull()
    expect(await ask('DELETE', remove)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('is not a child of') as string },
    })
    expect((await ask('DELETE', '/v2/units/BOX/children?child_serial_number=none')).status).toBe(404)
    expect((await ask('PUT', '/v2/units/BOX/children', { child_serial_number: 'none' })).status).toBe(404)
  })

  it('never hold themselves', async () => {
    for (const serial of ['C-1', 'C-2', 'C-3']) await createUnit(serial)
    await ask('PUT', '/v2/units/C-1/children', { child_serial_number: 'C-2' })
    await ask('PUT', '/v2/units/C-2/children', { child_serial_number: 'C-3' })
    for (const child of ['c-1', 'C-3']) {
      const circle = await ask('PUT', '/v2/units/C-3/children', { child_serial_number: child })
      expect(circle).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    }
    const v1 = await ask('PATCH', '/v1/units/C-3', { sub_units: [{ serial_number: 'C-1' }] })
    expect(v1).toMatchObject({ status: 400, body: { status_code: 400 } })
    expect((await getUnit('C-1')).parent).toBeNull()
  })

  it('are set as clients of the v1 era do, all of them or none', async () => {
    const id = await createUnit('V1')
    for (const serial of ['V1-a', 'V1-b', 'V1-c']) await createUnit(serial)
    const set = (...serials: string[]) =>
      ask('PATCH', '/v1/units/v1', { sub_units: serials.map((serial_number) => ({ serial_number })) })
    const children = async () => (await getUnit('V1')).children.map(({ serial_number }) => serial_number)
    expect(await set('V1-a', 'v1-B')).toMatchObject({ status: 200, body: { id } })
    expect(await children()).toEqual(['V1-a', 'V1-b'])
    expect(await set('V1-c', 'none')).toMatchObject({
      status: 400,
      body: { issues: [{ path: ['sub_units', 1, 'serial_number'] }] },
    })
    expect((await ask('PATCH', '/v1/units/V1', {})).status).toBe(200)
    expect(await children()).toEqual(['V1-a', 'V1-b'])
    await set('V1-b', 'V1-c', 'v1-B')
    expect(await children()).toEqual(['V1-b', 'V1-c'])
    expect(await set(...Array<string>(1000).fill('V1-c'))).toMatchObject({ status: 200 })
    expect(await set(...Array<string>(1001).fill('V1-c'))).toMatchObject({
      status: 400,
      body: { issues: [{ message: expect.stringContaining('must be at most 1000 entries') as string }] },
    })
    await set()
    expect(await children()).toEqual([])
    expect((await ask('PATCH', '/v1/units/none', { sub_units: [] })).status).toBe(404)
  })
})

describe('attachments of a unit', () => {
  it('are at most a thousand in one request, each linked once', async () => {
    await createUnit('MANY')
    const id = await server.upload('a.txt', 'bytes')
    expect(await change('MANY', { attachments: [id, id.toUpperCase(), id] })).toBe(200)
    expect((await getUnit('MANY')).attachments).toHaveLength(1)
    expect(await change('MANY', { attachments: Array<string>(1001).fill(id) })).toBe(400)
  })

  it('are images of nothing, and an image is attached to nothing: deletions would take it along', async () => {
    await createUnit('PICTURED')
    const image = await server.upload('front.png', 'front')
    expect(await change('PICTURED', { image_id: image })).toBe(200)
    expect(await change('PICTURED', { attachments: [image] })).toBe(409)
    const { id = '' } = await server.createRun()
    expect((await ask('PATCH', `/v2/runs/${id}`, { attachments: [image] })).status).toBe(409)
    const attached = await server.upload('back.png', 'back')
    expect(await change('PICTURED', { attachments: [attached] })).toBe(200)
    const other = await server.upload('side.png', 'side')
    expect((await ask('PATCH', `/v2/runs/${id}`, { attachments: [other] })).status).toBe(200)
    for (const taken of [attached, other]) {
      expect(await change('PICTURED', { image_id: taken })).toBe(409)
      expect((await ask('PATCH', '/v2/parts/LAMP', { image_id: taken })).status).toBe(409)
    }
  })

  it('are linked by id or when their bytes arrive', async () => {
    await createUnit('ATT')
    const linked = await server.upload('a.txt', 'bytes of a')
    expect(await change('ATT', { attachments: [linked] })).toBe(200)
    expect(await change('ATT', { attachments: [linked, randomUUID()] })).toBe(404)
    const begun = await ask<{ id: string; upload_url: string }>('POST', '/v2/units/att/attachments', {
      name: 'b.txt',
    })
    expect((await getUnit('ATT')).attachments).toHaveLength(1)
    expect((await fetch(begun.body.upload_url, { method: 'PUT', body: 'bytes of b' })).status).toBe(200)
    const { attachments } = await getUnit('ATT')
    expect(attachments).toMatchObject([
      { id: linked, size: 10 },
      { id: begun.body.id, content_type: 'text/plain;charset=utf-8' },
    ])
    expect(await (await fetch(attachments[1]?.download_url ?? '')).text()).toBe('bytes of b')
    expect((await ask('POST', '/v2/units/none/attachments', { name: 'b.txt' })).status).toBe(404)
  })

  it('belong to one record alone', async () => {
    await createUnit('OWN')
    await createUnit('OTHER')
    const ofUnit = await server.upload('u.txt', 'u')
    const { id: runId } = await server.createRun()
    const ofRun = await server.upload('r.txt', 'r')
    await ask('PATCH', `/v2/runs/${runId}`, { attachments: [ofRun] })
    await change('OWN', { attachments: [ofUnit] })
    expect(await change('OWN', { attachments: [ofUnit] })).toBe(200)
    expect(await change('OTHER', { attachments: [ofUnit] })).toBe(409)
    expect(await change('OWN', { attachments: [ofRun] })).toBe(409)
    expect((await ask('PATCH', `/v2/runs/${runId}`, { attachments: [ofUnit] })).status).toBe(409)
  })

  it('are deleted with bytes that nothing else has', async () => {
    await createUnit('DEL')
    const before = await storedFiles()
    const ids = [await server.upload('a', 'twice stored'), await server.upload('b', 'once stored')]
    const kept = await server.upload('c', 'twice stored')
    await change('DEL', { attachments: [...ids, kept] })
    const path = `/v2/units/DEL/attachments?ids=${ids.join('&ids=')}`
    expect((await ask('DELETE', `${path}&ids=${randomUUID()}`)).status).toBe(404)
    expect((await getUnit('DEL')).attachments).toHaveLength(3)
    expect(await ask('DELETE', path)).toEqual({ status: 200, body: { ids } })
    expect((await getUnit('DEL')).attachments).toMatchObject([{ id: kept }])
    expect(await storedFiles()).toBe(isWithBucket ? 0 : before + 1)
    expect((await ask('DELETE', '/v2/units/DEL/attachments')).status).toBe(400)
  })
})

describe('delete units', () => {
  it('deletes their runs and bytes, and leaves what they held and were in', async () => {
    const before = await storedFiles()
    await createUnit('KEPT-CHILD')
    const gone = await createUnit('GONE', { metadata: { a: 1 } })
    const run = {
      unit_under_test: { serial_number: 'gone', revision: 'A' },
      sub_units: [{ serial_number: 'KEPT-CHILD' }],
    }
    const { id: runId } = await server.createRun(run)
    const holder = await server.createRun({
      unit_under_test: { serial_number: 'HOLDER' },
      sub_units: [{ serial_number: 'GONE' }],
    })
    const ofRun = await server.upload('run.txt', 'of the run')
    await ask('PATCH', `/v2/runs/${runId}`, { attachments: [ofRun] })
    await change('GONE', { attachments: [await server.upload('unit.txt', 'of the unit')] })
    await ask('POST', '/v2/units/GONE/attachments', { name: 'never sent' })
    expect(await storedFiles()).toBe(isWithBucket ? 0 : before + 2)
    expect((await ask('DELETE', '/v2/units?serial_numbers=GONE&serial_numbers=none')).status).toBe(404)
    const deleted = await ask('DELETE', '/v2/units?serial_numbers=GONE&serial_numbers=gone')
    expect(deleted).toEqual({ status: 200, body: { ids: [gone], id: [gone] } })
    expect(await storedFiles()).toBe(before)
    expect((await ask('GET', `/v2/runs/${runId}`)).status).toBe(404)
    expect((await getUnit('KEPT-CHILD')).parent).toBeNull()
    expect((await getUnit('HOLDER')).children).toEqual([])
    expect((await server.getRun(holder.id)).sub_units).toEqual([])
    await createUnit('GONE')
    expect((await getUnit('GONE')).metadata).toEqual({})
    expect(server.logged).toEqual([])
  })

  it('answers as clients of the v1 era expect, and 400 without serial numbers', async () => {
    const id = await createUnit('V1-GONE')
    expect(await ask('DELETE', '/v1/units/v1-gone')).toEqual({
      status: 200,
      body: { message: 'Unit deleted', id },
    })
    expect(await ask('DELETE', '/v1/units/v1-gone')).toMatchObject({
      status: 404,
      body: { status_code: 404 },
    })
    expect((await ask('DELETE', '/v2/units')).status).toBe(400)
  })
})

it('a station with a run about a unit of others’ neither renames it nor deletes its attachments', async () => {
  const procedure = await ask<{ id: string }>('POST', '/v2/procedures', { name: 'Certify' })
  const station = await ask<{ id: string }>('POST', '/v2/stations', {
    name: 'Bench of units',
    procedure_id: procedure.body.id,
  })
  const body = { kind: 'station', name: 'Bench', station_id: station.body.id }
  const { key } = (await ask<{ key: string }>('POST', '/v2/keys', body)).body
  const asStation = async (method: string, path: string, sent: object): Promise<number> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(server.url + path, {
      method,
      headers,
      ...(method === 'DELETE' ? {} : { body: JSON.stringify(sent) }),
    })
    await response.arrayBuffer()
    return response.status
  }
  await createUnit('CERTIFIED')
  const { id, upload_url: address } = (
    await ask<{ id: string; upload_url: string }>('POST', '/v2/units/CERTIFIED/attachments', {
      name: 'c.txt',
    })
  ).body
  await fetch(address, { method: 'PUT', body: 'certificate' })
  const run = {
    procedure_id: procedure.body.id,
    unit_under_test: { serial_number: 'CERTIFIED', part_number: 'LAMP', revision: 'A' },
    run_passed: true,
  }
  expect(await asStation('POST', '/v1/runs', run)).toBe(200)
  expect(await asStation('PATCH', '/v2/units/CERTIFIED', { metadata: { site: 'Lyon' } })).toBe(200)
  expect(await asStation('PATCH', '/v2/units/CERTIFIED', { new_serial_number: 'MINE' })).toBe(403)
  expect(await asStation('DELETE', `/v2/units/CERTIFIED/attachments?ids=${id}`, {})).toBe(403)
  expect((await getUnit('CERTIFIED')).attachments).toMatchObject([{ name: 'c.txt' }])
})
