import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

const CLI = path.resolve(import.meta.dirname, '../../packages/cli/dist/bin.js')
const WATCH = path.join(import.meta.dirname, 'watch.mjs')

/** @type {import('../support/postgres').Postgres | undefined} */
let postgres
/** Addresses of databases by the folders that they go with. @type {Map<string, string>} */
const databases = new Map()

/** Services that are started from now on have a database of their own in this PostgreSQL. */
export function usePostgres(started) {
  postgres = started
}

/** The address of the database that goes with a data folder; undefined for one of SQLite, which is in it. */
export async function findDatabase(folder) {
  if (!postgres) return undefined
  const url = databases.get(folder) ?? (await postgres.createDatabase(`attack_${databases.size}`))
  databases.set(folder, url)
  return url
}

/**
 * Starts the built service in a process of its own, with its data in a fresh folder or in one that is given.
 * @param {{ dataDir?: string, args?: string[], env?: Record<string, string>, openFiles?: number }} [options] `openFiles` limits
 *   how many files and connections it may have open
 */
export async function startTarget({ dataDir, args = [], env = {}, openFiles } = {}) {
  const folder = dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'runledger-attack-')))
  const databaseUrl = await findDatabase(folder)
  const command = [process.execPath, CLI, 'serve', '--json', '--port', '0', '--data', folder, ...args]
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh']
  const [program, ...rest] = [...limited, ...command]
  const child = spawn(program, rest, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(databaseUrl && { RUNLEDGER_DATABASE: databaseUrl }), ...env },
  })
  const readers = watchReaders(child.pid)
  let log = ''
  child.stderr.on('data', (chunk) => (log += chunk))
  const line = JSON.parse(await readFirstLine(child, () => log))
  const credentials = JSON.parse(await readFile(path.join(folder, 'credentials.json'), 'utf8'))
  return {
    url: line.url,
    signInUrl: line.sign_in_url,
    apiKey: credentials.api_key,
    procedureId: credentials.procedure_id,
    dataDir: folder,
    databaseUrl,
    pid: child.pid,
    log: () => log,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** The most that it and its readers have held; undefined where the system does not tell. */
    peakMemoryMib: async () => {
      const kib = await readStatus(child.pid, 'VmHWM')
      return kib === undefined ? undefined : (kib + readers.peakKib()) / 1024
    },
    stop: async () => {
      readers.stop()
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
        await once(child, 'exit')
        clearTimeout(timer)
      }
      if (dataDir === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof startTarget>>} Target */

async function readFirstLine(child, log) {
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error(`the service did not start: ${log()}`)
}

const LOOK_AT_READERS_MS = 200

/**
 * The processes in which the service reads its database come and go: what they hold together is looked at many times. Of
 * each counts what it shares with no other; the program itself is in what the service holds already.
 */
function watchReaders(pid) {
  let peak = 0
  const look = async () => {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    const held = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map((one) => readStatus(one, 'RssAnon')),
    )
    peak = Math.max(
      peak,
      held.reduce((sum, kib) => sum + (kib ?? 0), 0),
    )
  }
  const timer = setInterval(() => void look(), LOOK_AT_READERS_MS)
  return { peakKib: () => peak, stop: () => clearInterval(timer) }
}

/** What Linux says of a process's memory, in KiB; no other system tells. */
async function readStatus(pid, name) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return kib === undefined ? undefined : Number(kib)
}

/** Watches how long `/healthz` takes until `stop` is called. @param {{ url: string }} target */
export async function startWatch({ url }) {
  const child = spawn(process.execPath, [WATCH, url], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    stop: async () => {
      child.stdin.end()
      const { value } = await lines.next()
      return JSON.parse(value)
    },
  }
}
