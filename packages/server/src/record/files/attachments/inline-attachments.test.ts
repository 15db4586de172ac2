import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minimalRun, startTestServer, type TestServer } from '../../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ maxAttachmentBytes: 40_000 })
})

afterAll(() => server.stop())

async function storedFiles(): Promise<string[]> {
  const names = await readdir(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
  return names.filter((name) => name.isFile()).map(({ name }) => name)
}

async function create(change: Record<string, unknown>, key?: string, path = '/v1/runs/create') {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key }
  const response = await server.send('POST', path, { ...minimalRun(server.procedureId), ...change }, headers)
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
}

const TEXT = '✓ passed  a › b\n\0\n\ufeffend'

describe('attachments that come with their run', () => {
  it.each(['/v1/runs/create', '/v1/runs', '/api/v1/runs'])('are linked to it: %s', async (path) => {
    const inline_attachments = [
      { name: 'a.log', content_type: 'text/plain; charset=utf-8', text: TEXT },
      { name: 'empty.json', text: '' },
    ]
    const { status, answer } = await create({ inline_attachments, unknown: 1 }, undefined, path)
    expect(status).toBe(200)
    const { attachments } = await server.getRun(answer['id'] as string)
    expect(answer['inline_attachments']).toEqual(attachments.map(({ name, id }) => ({ name, id })))
    expect(attachments.map(({ name, size, content_type }) => [name, size, content_type])).toEqual([
      ['a.log', Buffer.byteLength(TEXT), 'text/plain; charset=utf-8'],
      ['empty.json', 0, 'application/json'],
    ])
    const bytes = await (await fetch(attachments[0]?.download_url ?? '')).arrayBuffer()
    expect(Buffer.from(bytes).equals(Buffer.from(TEXT))).toBe(true)
  })

  it('are linked to a run of v2 just the same', async () => {
    const response = await server.send('POST', '/v2/runs', {
      procedure_id: server.procedureId,
      serial_number: 'UNIT-V2',
      part_number: 'PART-1',
      outcome: 'PASS',
      started_at: '2026-11-20T09:30:00Z',
      ended_at: '2026-11-20T09:31:00Z',
      inline_attachments: [{ name: 'a.log', text: TEXT }],
    })
    const created = (await response.json()) as { id: string; inline_attachments: unknown }
    expect(created.inline_attachments).toMatchObject([{ name: 'a.log' }])
    expect((await server.getRun(created.id)).attachments).toMatchObject([{ name: 'a.log' }])
  })

  it('are not spoken of when there are none', async () => {
    for (const change of [{}, { inline_attachments: null }])
      expect((await create(change)).answer).not.toHaveProperty('inline_attachments')
    expect((await create({ inline_attachments: [] })).answer['inline_attachments']).toEqual([])
  })

  it('are the first ones when the request comes again, and part of its body', async () => {
    const inline_attachments = [{ name: 'a.log', text: 'once' }]
    const first = await create({ inline_attachments }, 'again')
    const files = await storedFiles()
    expect(await create({ inline_attachments }, 'again')).toEqual(first)
    expect((await create({ inline_attachments: [{ name: 'a.log', text: 'other' }] }, 'again')).status).toBe(
      409,
    )
    expect((await create({}, 'again')).status).toBe(409)
    expect((await server.getRun(first.answer['id'] as string)).attachments).toHaveLength(1)
    expect(await storedFiles()).toEqual(files)
  })

  it('leave nothing behind when the run is refused', async () => {
    const before = await storedFiles()
    const inline_attachments = [{ name: 'a.log', text: 'of no run' }]
    expect((await create({ inline_attachments, procedure_id: 'nope' })).status).toBe(404)
    expect((await create({ inline_attachments, sub_units: [{ serial_number: 'nobody' }] })).status).toBe(400)
    expect(await storedFiles()).toEqual(before)
  })

  it('stay where another run has the same bytes and a later one is refused', async () => {
    const inline_attachments = [{ name: 'a.log', text: 'of two runs' }]
    const { answer } = await create({ inline_attachments })
    expect((await create({ inline_attachments, procedure_id: 'nope' })).status).toBe(404)
    const [attachment] = (await server.getRun(answer['id'] as string)).attachments
    expect(await (await fetch(attachment?.download_url ?? '')).text()).toBe('of two runs')
  })

  it('may be the same ones in requests at once, in any order', async () => {
    const all = ['x', 'y', 'z'].map((text) => ({ name: `${text}.log`, text: `shared ${text}` }))
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        create({ inline_attachments: index % 2 === 0 ? all : all.toReversed() }),
      ),
    )
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 200))
    for (const { answer } of created)
      expect((await server.getRun(answer['id'] as string)).attachments).toHaveLength(3)
  })

  it('are left out above the limit of the service, which the run does not fail for', async () => {
    const inline_attachments = [
      { name: 'large.log', text: 'x'.repeat(40_001) },
      { name: 'small.log', text: 'x' },
    ]
    const { status, answer } = await create({ inline_attachments })
    expect(status).toBe(200)
    expect(answer['inline_attachments']).toEqual([{ name: 'small.log', id: expect.any(String) }])
    expect((await server.getRun(answer['id'] as string)).attachments).toHaveLength(1)
  })

  it.each([
    ['too many', Array.from({ length: 17 }, () => ({ name: 'a', text: '' }))],
    ['a text that is too long in UTF-8', [{ name: 'a', text: 'ä'.repeat(32_769) }]],
    ['too much together', Array.from({ length: 5 }, () => ({ name: 'a', text: 'x'.repeat(60_000) }))],
    ['half a character', [{ name: 'a', text: '\ud83d' }]],
    ['no name', [{ text: 'x' }]],
    ['no text', [{ name: 'a' }]],
  ])('are refused: %s', async (_, inline_attachments) => {
    const { status, answer } = await create({ inline_attachments })
    expect([status, answer['code']]).toEqual([400, 'BAD_REQUEST'])
    expect(JSON.stringify(answer['issues'])).toContain('inline_attachments')
  })
})
