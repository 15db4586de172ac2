import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server'
import { isWithBucket } from '../../testing/test-database'

const UNKNOWN_ID = '01985a5e-0000-7000-8000-000000000000'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

async function createFullRun(...attachments: string[]): Promise<string> {
  const { id } = await server.createRun(
    {
      steps: [
        {
          name: 'Measure',
          step_passed: true,
          started_at: '2026-11-20T09:30:00Z',
          duration: 'PT1S',
          measurement_value: 3.3,
          limit_low: 3,
        },
      ],
      report_variables: { group: 'g' },
    },
    { 'idempotency-key': `key-${Math.random()}` },
  )
  const ids = await Promise.all(attachments.map((bytes) => server.upload('log.txt', bytes)))
  await server.send('PATCH', `/v2/runs/${id}`, { attachments: ids })
  return id ?? ''
}

async function storedFiles(): Promise<number> {
  const entries = await readdir(join(server.dataDir, 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

async function status(path: string): Promise<number> {
  return (await server.send('GET', path)).status
}

describe('delete runs', () => {
  it.skipIf(isWithBucket)(
    'deletes them with all they have, and bytes on disk that no other run has',
    async () => {
      const before = await storedFiles()
      const kept = await createFullRun('shared bytes')
      const first = await createFullRun('shared bytes', 'bytes of the first')
      const second = await createFullRun('bytes of the second')
      expect(await storedFiles()).toBe(before + 3)
      const answer = await server.send(
        'DELETE',
        `/v2/runs?ids=${first.toUpperCase()}&ids=${second}&ids=${first}`,
      )
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { ids: [first, second], id: [first, second] },
      ])
      expect([await status(`/v2/runs/${first}`), await status(`/v2/runs/${second}`)]).toEqual([404, 404])
      expect(await storedFiles()).toBe(before + 1)
      const [attachment] = (await server.getRun(kept)).attachments
      expect(await (await fetch(attachment?.download_url ?? '')).text()).toBe('shared bytes')
      expect(server.logged).toEqual([])
    },
  )

  it('deletes nothing when one is unknown, and names it', async () => {
    const id = await createFullRun()
    const answer = await server.send('DELETE', `/v2/runs?ids=${id}&ids=${UNKNOWN_ID}`)
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { code: 'NOT_FOUND', message: expect.stringContaining(UNKNOWN_ID) as string },
    ])
    expect(await status(`/v2/runs/${id}`)).toBe(200)
  })

  it('answers 400 without ids', async () => {
    for (const query of ['', '?ids=', '?ids=&ids=']) {
      const answer = await server.send('DELETE', `/v2/runs${query}`)
      expect([answer.status, await answer.json()]).toMatchObject([400, { issues: [{ path: ['ids'] }] }])
    }
  })

  it('refuses the bytes that a one-shot attachment of the run still waits for', async () => {
    const id = await createFullRun()
    const begun = await server.send('POST', `/v2/runs/${id}/attachments`, { name: 'late.txt' })
    const { upload_url: url } = (await begun.json()) as { upload_url: string }
    const before = await storedFiles()
    await server.send('DELETE', `/v2/runs?ids=${id}`)
    expect((await fetch(url, { method: 'PUT', body: 'late' })).status).toBe(404)
    expect(await storedFiles()).toBe(before)
  })

  it('deletes one as clients of the v1 era do', async () => {
    const id = await createFullRun('v1 bytes')
    const answer = await server.send('DELETE', `/v1/runs/${id}`)
    expect([answer.status, await answer.json()]).toEqual([200, { message: 'Run deleted', id }])
    const again = await server.send('DELETE', `/api/v1/runs/${id}`)
    expect([again.status, await again.json()]).toMatchObject([404, { status_code: 404 }])
  })

  it('frees the Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'again' }
    const first = await server.createRun({}, headers)
    await server.send('DELETE', `/v2/runs?ids=${first.id}`)
    const second = await server.createRun({}, headers)
    expect(second.id).not.toBe(first.id)
    expect(await status(`/v2/runs/${second.id}`)).toBe(200)
  })
})
