// A backup of a service that goes on serving, restored elsewhere: does a service on it answer as the original does?
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createClient } from './service-client.mjs'
import { eachRead } from './service-reads.mjs'
import { loadSqlite } from './sqlite.mjs'
import { REPOSITORY, startService } from './start-service.mjs'

const SAMPLED_RUNS = 200
const SHOWN = 5

/**
 * Compares every GET that `measureReads` makes, and a sample of whole runs with the bytes of their attachments.
 * @param {{ variables: Record<string, string>, data: string }} service @param {string} folder for backup and copy
 */
export async function measureBackup(service, probe, folder) {
  const [backup, data] = [path.join(folder, 'backup'), path.join(folder, 'restored')]
  const { result: backupSeconds, longestWaitMs } = await probe.measure(() =>
    runCommand('backup', backup, '--data', service.data),
  )
  const restoreSeconds = await runCommand('restore', backup, '--data', data)
  const restored = await startService([], { dataFolder: data })
  try {
    // The key of the original: those that were issued work on.
    const { compared, different } = await compare(service, {
      ...service.variables,
      RUNLEDGER_URL: restored.variables.RUNLEDGER_URL,
    })
    for (const pathname of different.slice(0, SHOWN)) console.log(`  differs: GET ${pathname}`)
    console.log(
      `  backup: ${compared} GETs compared, ${different.length} differ; backup ${backupSeconds.toFixed(1)} s, restore ${restoreSeconds.toFixed(1)} s; others waited ${longestWaitMs.toFixed(0)} ms at most during the backup`,
    )
    return [
      {
        name: `backup: answers that differ, of ${compared}`,
        target: 0,
        value: different.length,
        unit: '',
        digits: 0,
      },
    ]
  } finally {
    await restored.stop()
  }
}

/** Seconds that a command of the built command-line tool takes; throws unless it ends well. */
async function runCommand(...args) {
  const startedAt = performance.now()
  const cli = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
  const child = spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`runledger ${args[0]} ended with code ${code}`)
  return (performance.now() - startedAt) / 1000
}

async function compare({ variables, data }, restored) {
  const clients = [createClient(variables), createClient(restored)]
  const [original, copy] = clients
  const compared = new Set()
  const different = []
  const note = (pathname, ...answers) => {
    compared.add(pathname)
    const [expected, answered] = answers.map(withoutAddresses)
    if (expected !== answered) different.push(pathname)
  }
  for await (const { pathname, text } of eachRead(original))
    if (!compared.has(pathname)) note(pathname, text, (await copy.send('GET', pathname)).text)
  for (const id of await sampleRuns(data)) {
    const pathname = `/v2/runs/${id}`
    const runs = await Promise.all(clients.map((client) => client.json('GET', pathname)))
    note(pathname, ...runs.map((run) => JSON.stringify(run)))
    for (const [index, { id: attachment }] of runs[0].attachments.entries())
      note(`/downloads/${attachment}`, ...(await Promise.all(runs.map((run) => readBytes(run, index)))))
  }
  await Promise.all(clients.map((client) => client.close()))
  return { compared: compared.size, different }
}

/** Ids of runs, as far from one another as their number allows. */
async function sampleRuns(data) {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(path.join(data, 'runledger.db'), { readOnly: true })
  const ids = database.prepare('SELECT public_id FROM runs ORDER BY id').all()
  database.close()
  const step = Math.max(1, Math.floor(ids.length / SAMPLED_RUNS))
  return ids
    .filter((_, index) => index % step === 0)
    .slice(0, SAMPLED_RUNS)
    .map((row) => row.public_id)
}

async function readBytes(run, index) {
  const url = run.attachments[index]?.download_url
  if (!url) return 'no address'
  const response = await fetch(url)
  return `${response.status} ${Buffer.from(await response.arrayBuffer()).toString('base64')}`
}

/** Without what the service's own address and a signature make differ. */
function withoutAddresses(text) {
  return text.replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, '').replaceAll(/\?expires=\d+&signature=[\w-]+/g, '')
}
