import type { AuditEntry, Page } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
  for (const name of ['First hook', 'Second hook'])
    await service.run(['webhooks', 'add', 'http://127.0.0.1:9/hook', '--name', name])
})

afterAll(() => service.stop())

it('lists who changed what', async () => {
  const { code, out } = await service.run(['audit', '--search', 'second HOOK'])
  expect(code).toBe(0)
  expect(out).toMatch(/When +Who +Key/)
  expect(out).toMatch(/createWebhook +webhook Second hook/)
  expect(out).not.toContain('First hook')
})

it('prints one page as JSON, and continues after it', async () => {
  const options = ['--operation', 'createWebhook', '--limit', '1', '--json']
  const first = JSON.parse((await service.run(['audit', ...options])).out) as Page<AuditEntry>
  expect(first.data.map(({ subject }) => subject.name)).toEqual(['Second hook'])
  const cursor = String(first.meta.next_cursor)
  const next = JSON.parse(
    (await service.run(['audit', ...options, '--cursor', cursor])).out,
  ) as Page<AuditEntry>
  expect(next.data.map(({ subject }) => subject.name)).toEqual(['First hook'])
})

it('exports all entries as lines of JSON', async () => {
  for (let count = 0; count < 101; count += 1)
    await fetch(`${service.url}/v2/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ 'organization.slug': `team-${count}` }),
    })
  const { out } = await service.run(['audit', '--all'])
  const entries = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry)
  expect(entries.at(-1)).toMatchObject({ operation: 'upkeep' })
  expect(entries.filter(({ operation }) => operation === 'updateSettings')).toHaveLength(101)
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
})

it('has nothing since a time to come', async () => {
  const { code, out } = await service.run(['audit', '--since', '2126-01-01T00:00:00Z'])
  expect({ code, out }).toEqual({ code: 0, out: 'No entries found.\n' })
})
