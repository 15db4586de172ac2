import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'

const CLI = path.resolve(import.meta.dirname, '../../packages/cli/dist/bin.js')
const WATCH = path.join(import.meta.dirname, 'watch.mjs')

/**
 * Starts the built service in a process of its own, with its data in a fresh folder or in one that is given.
 * @param {{ dataDir?: string, args?: string[], env?: Record<string, string> }} [options]
 */
export async function startTarget({ dataDir, args = [], env = {} } = {}) {
  const folder = dataDir ?? (await mkdtemp(path.join(os.tmpdir(), 'runledger-attack-')))
  const child = spawn(process.execPath, [CLI, 'serve', '--json', '--port', '0', '--data', folder, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
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
    pid: child.pid,
    log: () => log,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    peakMemoryMib: () => readPeakMemory(child.pid),
    stop: async () => {
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

/** The most memory that a process has held, resident; only Linux tells. */
async function readPeakMemory(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
  return kib === undefined ? undefined : Number(kib) / 1024
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
