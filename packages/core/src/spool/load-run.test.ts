import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { FolderSpool } from './folder-spool'
import { loadEntry, toDeliverableRun } from './load-run'
import { createHead, type SpoolEntry } from './spool-entry'

const dirs: string[] = []

afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true })
})

const BEFORE = '{"procedure_id":"FVT1","unit_under_test":{"serial_number":"S1"},"run_passed":true'
const STEP = '{"name":"adds","step_passed":true,"started_at":"2026-11-20T10:00:00.000Z","duration":"PT1S"'
const AFTER = '"report_variables":{"file":"a.test.ts"},"attachments":[]}'

it.each([
  ['steps before other members', `${BEFORE},"steps":[${STEP}}],${AFTER}`],
  ['steps at the end', `${BEFORE},${AFTER.slice(0, -1)},"steps":[${STEP}}]}`],
  ['members of a step that are not known here', `${BEFORE},"steps":[${STEP},"note":"hot"}],${AFTER}`],
  ['no steps', `${BEFORE},${AFTER}`],
  ['null for steps', `${BEFORE},"steps":null,${AFTER}`],
])('sends a request that waited as it was written: %s', async (_, request) => {
  const dir = await mkdtemp(path.join(tmpdir(), 'load-run-'))
  dirs.push(dir)
  const submissionId = randomUUID()
  const folder = await new FolderSpool(dir).create(submissionId)
  const head = createHead(submissionId, {
    service: { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' },
    projectRoot: '/project',
  })
  await folder.write(`${JSON.stringify(head).slice(0, -1)},"request":${request},"attachments":[]}\n`)
  const { requestJson } = await toDeliverableRun(folder, (await loadEntry(folder)) as SpoolEntry)
  expect(Buffer.from(requestJson).toString()).toBe(request)
  await folder.release()
})
