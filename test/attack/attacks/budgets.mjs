import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { ask, atOnce, connect, send, sleep } from '../client.mjs'
import { createRun, createStep, list } from './bodies.mjs'

const KIB = 1024
const MIB = 1024 * KIB
const LONG_TEXT = 'x'.repeat(10_000)
/** More than any answer to a list may have, its last record included. */
const MOST_LISTED_BYTES = 32 * MIB

/** @type {Record<string, import('./index.mjs').Attack>} */
export const BUDGET_ATTACKS = {
  'large-metadata': { about: 'many runs of 7 MB of report variables, and lists of them', run: sendMetadata },
  'large-values': { about: 'failed runs with a measured text of 7 MB, and lists of them', run: measureTexts },
  'large-imports': { about: 'the largest files to import, of many small parts or of one', run: importFiles },
  'paused-readers': {
    about: 'readers of a run of 10,000 steps, then of one of 7 MB, that take nothing of it',
    run: pauseReaders,
  },
  'kept-connections': { about: 'connections that one station keeps open', run: keepConnections },
  'few-descriptors': {
    about: 'idle connections at a service that may open few files',
    run: fillDescriptors,
    target: { openFiles: 1_024 },
  },
  'unlinked-uploads': {
    about: 'uploads that belong to nothing, more than the disk has room for',
    run: fillDisk,
    disk: { megabytes: 192 },
  },
}

/** A station that is linked to the procedure, and a key of it. */
export async function createStation(target) {
  const procedure = (await send(target, 'GET', '/v2/procedures')).json.data[0]
  const station = await send(target, 'POST', '/v2/stations', { name: 'bench 1', procedure_id: procedure.id })
  const body = { kind: 'station', name: 'bench 1', station_id: station.json.id }
  return (await send(target, 'POST', '/v2/keys', body)).json
}

async function sendMetadata({ target, claim, claimFast, isSmall }) {
  const { key } = await createStation(target)
  const count = isSmall ? 10 : 40
  const create = (entries) => {
    const report_variables = Object.fromEntries(
      Array.from({ length: entries }, (_, index) => [`variable ${index}`, LONG_TEXT]),
    )
    const body = JSON.stringify(createRun(target, { report_variables }))
    return send(target, 'POST', '/v1/runs', body, { key, timeoutMs: 60_000 })
  }
  const created = []
  for (const entries of [700, 90])
    for (let run = 0; run < count; run += 1) created.push(await create(entries))
  const lists = ['/v2/runs?limit=100&include_metadata=true', '/v1/runs', '/v2/units?include_metadata=true']
  const told = await readLists({ target, claim, claimFast }, lists)
  const all = await readAllRuns(target)
  claim(all.length === listTaken(created).length + WARM_UP_RUNS, `its pages had ${all.length} runs`)
  return `${created.length} runs: ${list(created)}; ${told.join(', ')}; ${all.length} runs in pages`
}

export async function readLists({ target, claim, claimFast }, lists) {
  const told = []
  for (const address of lists) {
    const answer = await send(target, 'GET', address, undefined, { timeoutMs: 120_000 })
    const bytes = answer.text.length
    claim(answer.status === 200, `${address} was answered ${answer.status}`)
    claim(bytes <= MOST_LISTED_BYTES, `${address} was answered ${(bytes / MIB).toFixed(0)} MiB`)
    claimFast(answer.ms, 2_000, address)
    told.push(`${address.slice(0, 40)} ${(bytes / MIB).toFixed(1)} MiB in ${answer.ms.toFixed(0)} ms`)
  }
  return told
}

async function measureTexts({ target, claim, claimFast, isSmall }) {
  const { key } = await createStation(target)
  const times = { started_at: '2026-11-20T09:00:00.000Z', ended_at: '2026-11-20T09:00:01.000Z' }
  const measurements = [{ name: 'console', outcome: 'FAIL', measured_value: LONG_TEXT.repeat(700) }]
  const body = JSON.stringify({
    procedure_id: target.procedureId,
    serial_number: 'ATTACKED-1',
    part_number: 'LAMP',
    outcome: 'FAIL',
    ...times,
    phases: [{ name: 'reads the console', outcome: 'FAIL', ...times, measurements }],
  })
  const created = []
  for (let run = 0; run < (isSmall ? 10 : 40); run += 1)
    created.push(await send(target, 'POST', '/v2/runs', body, { key, timeoutMs: 60_000 }))
  claim(
    created.every(({ status }) => status === 200),
    `such runs were answered ${list(created)}`,
  )
  const told = await readLists({ target, claim, claimFast }, [
    `/v2/measurements?limit=100&procedure_id=${target.procedureId}`,
    '/v2/runs?limit=100&include_failures=true',
  ])
  return `${created.length} runs: ${list(created)}; ${told.join(', ')}`
}

const REPORT = '<Report a="1" b="2" c="3" d="4" e="5"/>'

async function importFiles({ target, claim, isSmall }) {
  const { key } = await createStation(target)
  const most = (isSmall ? 8 : 32) * MIB - 1_000
  const fill = (text) => text.repeat(Math.floor(most / text.length))
  const files = [
    ['WATS', `[{"sn":"1","x":[${'{},'.repeat(900_000)}0]}]`],
    ['WATS', `[{"sn":"1","x":"${fill('a')}"}]`],
    ['WSXF', `<Reports>${'<a/>'.repeat(999_000)}</Reports>`],
    ['WSXF', `<Reports>${fill(REPORT)}</Reports>`],
    ['WSXF', `<Reports>${fill('&amp;')}</Reports>`],
    ['TESTSTAND', `<Reports>${fill('a')}</Reports>`],
    ['ATML', `<TestResults a="${fill('a')}"/>`],
  ]
  const told = []
  for (const [importer, file] of files) {
    const { id, upload_url } = (await send(target, 'POST', '/v2/attachments', { name: 'a' }, { key })).json
    await ask(upload_url, { method: 'PUT', body: file, timeoutMs: 60_000 })
    const items = [{ upload_id: id, importer, procedure_id: target.procedureId }]
    const asked = send(target, 'POST', '/v2/imports/structured', { items }, { key, timeoutMs: 120_000 })
    const { status, json, ms } = await asked
    claim(json?.results?.[0].success === false, `a file of ${importer} was answered ${status}`)
    told.push(`${importer} of ${(file.length / MIB).toFixed(0)} MiB in ${ms.toFixed(0)} ms`)
  }
  return told.join(', ')
}

/** Of the runs that every service has before it is attacked. */
const WARM_UP_RUNS = 50

const listTaken = (answers) => answers.filter(({ status }) => status === 200)

async function readAllRuns(target) {
  const runs = []
  let cursor = ''
  do {
    const page = await send(target, 'GET', `/v2/runs?limit=100&include_metadata=true${cursor}`)
    if (page.status !== 200) return runs
    runs.push(...page.json.data)
    cursor = page.json.meta.has_more ? `&cursor=${page.json.meta.next_cursor}` : ''
  } while (cursor !== '')
  return runs
}

async function pauseReaders({ target, claim, claimFast, isSmall }) {
  const { key } = await createStation(target)
  const steps = Array.from({ length: isSmall ? 3_000 : 10_000 }, (_, index) =>
    createStep({ name: `step ${index}` }),
  )
  const logs = Array.from({ length: isSmall ? 100 : 700 }, () => ({
    level: 'INFO',
    timestamp: '2026-11-20T09:00:00.000Z',
    message: LONG_TEXT,
    source_file: 'a.py',
    line_number: 1,
  }))
  const count = isSmall ? 150 : 900
  const told = []
  for (const content of [{ steps }, { logs }]) {
    const run = await send(target, 'POST', '/v1/runs', createRun(target, content), { timeoutMs: 60_000 })
    claim(run.status === 200, `such a run was answered ${run.status}`)
    for (const encoding of ['identity', 'gzip']) {
      const open = await pauseSome({ target, claim, claimFast }, { run: run.json, key, count, encoding })
      told.push(`${open} of ${count} (${encoding})`)
    }
  }
  return `readers that were still served after 8 s: ${told.join(', ')}; memory ${(await target.peakMemoryMib()).toFixed(0)} MiB`
}

/** Others read the same run whole meanwhile. */
async function pauseSome({ target, claim, claimFast }, { run, key, count, encoding }) {
  const head = `GET /v2/runs/${run.id} HTTP/1.1\r\nhost: a\r\naccept-encoding: ${encoding}\r\nauthorization: Bearer ${key}\r\n\r\n`
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(target).pause()
    socket.write(head)
    return socket
  })
  await sleep(1_000)
  const began = performance.now()
  while (performance.now() - began < 7_000) {
    await claimReachable({ target, claim, claimFast })
    const { status, json } = await send(target, 'GET', `/v2/runs/${run.id}`, undefined, { timeoutMs: 20_000 })
    claim(status === 200 && json?.id === run.id, `another reader of the run was answered ${status}`)
    await sleep(500)
  }
  // A socket that nobody reads does not hear of its end.
  for (const socket of sockets) socket.resume()
  await sleep(1_000)
  const open = sockets.filter(({ destroyed }) => !destroyed).length
  for (const socket of sockets) socket.destroy()
  return open
}

async function claimReachable({ target, claim, claimFast }, key = target.apiKey) {
  const answer = await send(target, 'GET', '/v2/procedures?limit=1', undefined, { key, timeoutMs: 5_000 })
  claim(answer.status === 200, `a new client was answered ${answer.status}`)
  claimFast(answer.ms, 1_000, 'the request of a new client')
  return answer.status
}

async function keepConnections({ target, claim, claimFast, isSmall }) {
  const { key } = await createStation(target)
  const count = isSmall ? 1_000 : 4_000
  const head = `GET /v2/procedures?limit=1 HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`
  const sockets = []
  while (sockets.length < count) {
    const some = Array.from({ length: 4 }, () => connect(target))
    for (const socket of some) socket.write(head)
    await Promise.all(some.map(isAnsweredOrEnded))
    sockets.push(...some)
  }
  await sleep(3_000)
  const probes = []
  for (let probe = 0; probe < 100; probe += 1) {
    probes.push(await claimReachable({ target, claim, claimFast }))
    const health = await ask(`${target.url}/healthz`, { timeoutMs: 5_000 })
    claim(health.status === 200, `somebody without a key was answered ${health.status}`)
  }
  const open = sockets.filter(({ destroyed }) => !destroyed).length
  for (const socket of sockets) socket.destroy()
  const reached = probes.filter((status) => status === 200).length
  return `${count} connections, of which ${open} are kept; ${reached} of ${probes.length} others reached the service`
}

function isAnsweredOrEnded(socket) {
  return new Promise((resolve) => socket.once('data', resolve).once('close', resolve))
}

async function fillDescriptors({ target, claim, claimFast, isSmall }) {
  const count = isSmall ? 1_100 : 2_000
  const sockets = []
  for (let index = 0; index < count; index += 1) {
    sockets.push(connect(target))
    if (index % 200 === 0) await sleep(20)
  }
  await sleep(1_000)
  const probes = []
  for (let probe = 0; probe < 20; probe += 1) {
    probes.push(await claimReachable({ target, claim, claimFast }))
    const { upload_url } = (await send(target, 'POST', '/v2/attachments', { name: 'a.txt' })).json ?? {}
    const sent = upload_url && (await ask(upload_url, { method: 'PUT', body: 'a' }))
    claim(sent?.status === 200, `an upload was answered ${sent?.status}`)
  }
  const open = sockets.filter(({ destroyed }) => !destroyed).length
  for (const socket of sockets) socket.destroy()
  return `${count} connections, of which ${open} are kept; ${probes.filter((status) => status === 200).length} of ${probes.length} others reached the service`
}

async function fillDisk({ target, claim, isSmall }) {
  const { id, key } = await createStation(target)
  let bytes = 16 * MIB
  const upload = async () => {
    const { json } = await send(target, 'POST', '/v2/attachments', { name: 'noise.bin' }, { key })
    if (json?.upload_url === undefined) return { status: 0 }
    return ask(json.upload_url, { method: 'PUT', body: randomBytes(bytes) })
  }
  const uploads = []
  const created = []
  for (let round = 0; round < (isSmall ? 12 : 24); round += 1) {
    const answers = await atOnce(4, upload)
    uploads.push(...answers)
    // What is left is filled with less at once.
    if (listTaken(answers).length === 0) bytes = Math.max(64 * KIB, bytes / 2)
    const steps = Array.from({ length: 500 }, (_, index) => createStep({ name: `${round} step ${index}` }))
    created.push(await send(target, 'POST', '/v1/runs', createRun(target, { steps })))
  }
  claim(
    created.every(({ status }) => status === 200),
    `runs of others were answered ${list(created)}`,
  )
  const ready = await ask(`${target.url}/readyz`)
  claim(ready.status === 200, `/readyz was answered ${ready.status}`)
  const { json } = await send(target, 'GET', '/v2/attachments?limit=100')
  claim(json?.data?.length > 0, 'what fills the disk is in no list')
  const before = await readFreeMib(target)
  await send(target, 'DELETE', `/v2/keys/${id}`)
  await sleep(1_000)
  const after = await readFreeMib(target)
  claim(
    after > before,
    `the disk had ${before.toFixed(0)} MiB left, and ${after.toFixed(0)} after the key was deleted`,
  )
  return `uploads: ${list(uploads)}; runs of others: ${list(created)}; ${before.toFixed(0)} MiB left, ${after.toFixed(0)} after the key was deleted`
}

async function readFreeMib({ dataDir }) {
  const { bavail, bsize } = await statfs(dataDir)
  return (bavail * bsize) / MIB
}

/** A file system of its own, where this process may mount one; else any folder. */
export async function mountDisk({ megabytes }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  const isMounted = status === 0
  return {
    folder,
    isMounted,
    remove: async () => {
      if (isMounted) spawnSync('umount', [folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
