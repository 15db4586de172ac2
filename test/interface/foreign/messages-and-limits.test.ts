import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../world'
import { createFieldClient, messagesOf, PREFIXES } from './field-client'

/** docs/interface.md#messages-and-limits. */

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

const LONG = 'x'.repeat(61)
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'

const v2Run = (change: Record<string, unknown> = {}) => ({
  outcome: 'PASS',
  procedure_id: world.procedureId,
  started_at: '2026-11-20T09:30:00Z',
  ended_at: '2026-11-20T09:31:00Z',
  serial_number: world.unique('SN'),
  part_number: 'PN-1',
  ...change,
})

const v1Run = (unit: Record<string, unknown>, change: Record<string, unknown> = {}) => ({
  procedure_id: 'CONTRACT',
  unit_under_test: { serial_number: world.unique('SN'), ...unit },
  run_passed: true,
  duration: 'PT1S',
  ...change,
})

describe.each(PREFIXES)('below "%s"', (prefix) => {
  const ask = createFieldClient(() => world, prefix)

  it('a message of an issue begins with its field, spaces for underscores', async () => {
    const refused = [
      await ask('POST', '/v1/runs', { ...v1Run({ serial_number: '' }), run_passed: 'yes' }),
      await ask('POST', '/v2/runs', v2Run({ serial_number: '', phases: [{ name: 'a' }] })),
      await ask('POST', '/v1/runs', v1Run({}, { sub_units: [{ serial_number: 'none' }] })),
      await ask('POST', '/v2/runs', v2Run({ sub_units: ['none'], part_number: 'PN-1' })),
      await ask('POST', '/v2/runs', v2Run({ part_number: null })),
      await ask('GET', '/v2/runs?limit=0&sort_by=colour'),
      await ask('POST', '/v2/runs', []),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 400))
    const firstWords = refused.map((one) =>
      messagesOf(one).map((message) => message.split(/ (?:must|is) /)[0]),
    )
    expect(firstWords).toEqual([
      ['serial number', 'run passed'],
      ['serial number', 'outcome', 'started at', 'ended at'],
      ['serial number'],
      ['sub units'],
      ['part number'],
      ['limit', 'sort by'],
      ['request'],
    ])
    expect(messagesOf(refused[0] as never)[0]).toMatch(/^serial number must be at least 1 character/)
  })

  it.each([
    ['procedure', 'GET', `/v2/procedures/${UNKNOWN_ID}`],
    ['procedure', 'GET', `/v2/procedures/${UNKNOWN_ID}/versions/1`],
    ['version', 'GET', '/v2/procedures/CONTRACT/versions/none'],
    ['part', 'GET', '/v2/parts/none'],
    ['revision', 'GET', '/v2/parts/PN-1/revisions/none'],
    ['unit', 'GET', '/v2/units/none'],
    ['batch', 'GET', '/v2/batches/none'],
    ['run', 'GET', `/v2/runs/${UNKNOWN_ID}`],
    ['station', 'GET', `/v2/stations/${UNKNOWN_ID}`],
    ['attachment', 'POST', `/v2/attachments/${UNKNOWN_ID}/finalize`],
    ['phase', 'GET', `/v2/phases/${UNKNOWN_ID}`],
    ['measurement', 'GET', `/v2/measurements/${UNKNOWN_ID}`],
    ['log', 'GET', `/v2/logs/${UNKNOWN_ID}`],
    ['key', 'DELETE', `/v2/keys/${UNKNOWN_ID}`],
    ['run', 'DELETE', `/v1/runs/${UNKNOWN_ID}`],
    ['unit', 'DELETE', '/v1/units/none'],
    ['route', 'GET', '/v2/none'],
  ])('a 404 names the %s that was not found: %s %s', async (noun, method, path) => {
    await world.createRun()
    const { status, body } = await ask(method, path)
    expect(status).toBe(404)
    expect(body['message']).toMatch(/not found|does not exist/)
    expect(body['message']).toContain(noun)
  })

  it('numbers and versions have at most 60 characters, and a refusal says so', async () => {
    const part = { part_number: 'PN-1', revision_number: 'A' }
    const requests = [
      ['POST', '/v1/runs', v1Run({ serial_number: LONG })],
      ['POST', '/v1/runs/create', v1Run({ part_number: LONG })],
      ['POST', '/v1/runs', v1Run({ part_number: 'PN-1', revision: LONG })],
      ['POST', '/v2/runs', v2Run({ serial_number: LONG })],
      ['POST', '/v2/runs', v2Run({ part_number: LONG })],
      ['POST', '/v2/runs', v2Run({ revision_number: LONG })],
      ['POST', '/v2/runs', v2Run({ procedure_version: LONG })],
      ['POST', '/v2/units', { serial_number: LONG, ...part }],
      ['POST', '/v2/parts', { number: LONG }],
      ['POST', '/v2/parts/PN-1/revisions', { number: LONG }],
      ['POST', '/v2/procedures/CONTRACT/versions', { tag: LONG }],
      ['PATCH', '/v2/parts/PN-1', { new_number: LONG }],
      ['PATCH', '/v2/parts/PN-1/revisions/A', { number: LONG }],
    ] as const
    for (const [method, path, body] of requests) {
      const refused = await ask(method, path, body)
      expect([method, path, refused.status, messagesOf(refused)]).toEqual([
        method,
        path,
        400,
        [expect.stringContaining('60 characters')],
      ])
    }
    expect(
      (await ask('POST', '/v1/runs', v1Run({ serial_number: world.unique('y'.repeat(55)) }))).status,
    ).toBe(200)
  })

  it('batch numbers have at most 100 letters, digits, underscores and hyphens', async () => {
    const create = (number: string) => ask('POST', '/v2/batches', { number })
    expect((await create(`${world.unique('Batch_7')}${'-'.repeat(80)}`)).status).toBe(200)
    for (const wrong of ['b'.repeat(101), 'two words', 'Zoë', 'a/b', '']) {
      const refused = await create(wrong)
      expect([wrong, refused.status, messagesOf(refused)]).toEqual([
        wrong,
        400,
        [expect.stringMatching(/^number must be/)],
      ])
    }
    expect((await ask('POST', '/v2/runs', v2Run({ batch_number: 'a b' }))).status).toBe(400)
    expect((await ask('POST', '/v1/runs', v1Run({ batch_number: 'a b' }))).status).toBe(400)
  })

  it('metadata of v2 has at most 50 keys of plain characters; report variables of v1 are free', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, key]))
    const { body } = await ask('POST', '/v2/runs', v2Run({ metadata: { 'a.b:c+d-e_F9': 'x', ...many(49) } }))
    const serialNumber = world.unique('Unit')
    const part = { part_number: 'PN-1', revision_number: 'A' }
    for (const metadata of [many(51), { 'two words': 1 }, { ключ: 1 }, { '': 1 }]) {
      const requests = [
        ['POST', '/v2/runs', v2Run({ metadata })],
        ['POST', '/v2/runs', v2Run({ unit_metadata: metadata })],
        ['PATCH', `/v2/runs/${String(body['id'])}/metadata`, { metadata }],
        ['POST', '/v2/units', { serial_number: serialNumber, ...part, metadata }],
        ['PATCH', `/v2/units/${serialNumber}`, { metadata }],
      ] as const
      for (const [method, path, sent] of requests) {
        const refused = await ask(method, path, sent)
        expect([method, path, refused.status, messagesOf(refused)]).toEqual([
          method,
          path,
          400,
          [expect.stringMatching(/^(?:unit )?metadata must have/)],
        ])
      }
    }
    const free = v1Run({}, { report_variables: { 'two words': 'x', ...mapTexts(many(80)) } })
    const { body: run } = await ask('POST', '/v1/runs', free)
    const path = `/v2/runs/${String(run['id'])}`
    await ask('PATCH', `${path}/metadata`, { metadata: { 'two words': null } })
    const { body: stored } = await ask('GET', path)
    expect(Object.keys(stored['metadata'] as object)).toHaveLength(80)
  })

  it('a procedure_id of v2 that is neither a UUID nor known is 400 and says "UUID", for either key', async () => {
    for (const as of ['user', 'station'] as const) {
      const refused = await ask('POST', '/v2/runs', v2Run({ procedure_id: 'none-such' }), as)
      expect(refused.status).toBe(400)
      expect(refused.body['message']).toContain('UUID')
      expect(messagesOf(refused)).toEqual([expect.stringMatching(/^procedure id .*UUID/)])
    }
    const unknown = v2Run({ procedure_id: UNKNOWN_ID })
    expect((await ask('POST', '/v2/runs', unknown)).status).toBe(404)
    expect((await ask('POST', '/v2/runs', unknown, 'station')).status).toBe(403)
    expect((await ask('POST', '/v2/runs', v2Run({ procedure_id: 'contract' }), 'station')).status).toBe(200)
    for (const as of ['user', 'station'] as const) {
      const version = await ask('POST', '/v2/procedures/none-such/versions', { tag: '1' }, as)
      expect([version.status, version.body['message']]).toEqual([400, expect.stringContaining('UUID')])
    }
  })

  it('a malformed request answers 400 before a station is refused', async () => {
    for (const [method, path, body] of [
      ['POST', '/v2/procedures', {}],
      ['PATCH', '/v2/stations/none-such', { name: 'x' }],
      ['DELETE', '/v2/runs?ids=none-such', undefined],
      ['DELETE', '/v2/units', undefined],
    ] as const)
      expect([path, (await ask(method, path, body, 'station')).status]).toEqual([path, 400])
    for (const name of ['', ' ', 'x'])
      expect((await ask('POST', '/v2/procedures', { name }, 'station')).status).toBe(403)
  })

  it('the revision is named that is not found, also where its part is not', async () => {
    const sent = { serial_number: 'NEVER', part_number: 'none-such', revision_number: 'R9' }
    const refused = await ask('POST', '/v2/units', sent)
    expect([refused.status, refused.body['message']]).toEqual([
      404,
      'The revision "R9" of the part "none-such" was not found. There is no part with that number.',
    ])
  })

  it('an operator who is named by no e-mail address is 400', async () => {
    const refused = await ask('POST', '/v2/runs', v2Run({ operated_by: 'Ada' }))
    expect([refused.status, messagesOf(refused)]).toEqual([
      400,
      [expect.stringMatching(/^operated by must be .*"operated_by"/)],
    ])
    expect((await ask('POST', '/v2/runs', v2Run({ operated_by: 'nobody@example.com' }))).body).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('operated_by') as string,
    })
  })

  it('a change of a part that changes nothing is 400', async () => {
    await ask('POST', '/v2/parts', { number: 'CHANGED' })
    for (const body of [{}, { number: 'x' }, { name: null }]) {
      const { status } = await ask('PATCH', '/v2/parts/CHANGED', body)
      expect(status).toBe(400)
    }
  })
})

function mapTexts(values: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
}
