// Deletion of one procedure with all its runs, as others see it and as the disk does.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from './service-client.mjs'
import { PROCEDURES } from './service-fill.mjs'

const TARGET_SECONDS = 600
const POLL_MS = 500

/** @param {import('./service.mjs').FilledService} service @param {{ runs: number, attachments: number }} sizes */
export async function measureDeletion(service, probe, sizes) {
  const client = createClient(service.variables)
  const blobsBefore = countBlobs(service.data)
  const { select } = service.records
  const [{ id }] = await select(`SELECT id FROM procedures WHERE identifier = '${PROCEDURES.bulk}'`)
  const startedAt = performance.now()
  const secondsSince = () => (performance.now() - startedAt) / 1000
  const { result: answeredAfter, ...during } = await probe.measure(async () => {
    await client.json('DELETE', `/v2/procedures/${PROCEDURES.bulk}`)
    const answered = secondsSince()
    await checkGone(client)
    while ((await select(`SELECT id FROM procedures WHERE id = ${id}`)).length > 0) await sleep(POLL_MS)
    return answered
  })
  const left = blobsBefore - sizes.runs * sizes.attachments
  while (countBlobs(service.data) > left) await sleep(POLL_MS)
  const seconds = secondsSince()
  await client.close()
  console.log(
    `  answered after ${answeredAfter.toFixed(2)} s, all gone after ${seconds.toFixed(0)} s; others waited ${during.longestWaitMs.toFixed(0)} ms at most, 99 of 100 ${during.p99WaitMs.toFixed(0)} ms (${during.asked} asked)`,
  )
  return [
    { name: 'procedure deleted: answer', target: 5, value: answeredAfter, unit: 's' },
    {
      name: 'procedure deleted: runs, attachments and bytes',
      target: TARGET_SECONDS,
      value: seconds,
      unit: 's',
      digits: 0,
    },
    {
      name: 'deletion: longest wait of others',
      target: 100,
      value: during.longestWaitMs,
      unit: 'ms',
      digits: 0,
    },
  ]
}

async function checkGone(client) {
  const { data } = await client.json('GET', `/v2/runs?procedure_ids=${PROCEDURES.bulk}&limit=1`)
  const { status } = await client.send('GET', `/v2/procedures/${PROCEDURES.bulk}`)
  if (data.length > 0 || status !== 404) throw new Error('what was deleted is still answered')
}

function countBlobs(data) {
  const folder = path.join(data, 'blobs')
  const names = readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name))
  return names.reduce((sum, name) => sum + readdirSync(path.join(folder, name)).length, 0)
}
