import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Starts the built service in a process of its own; `variables` tell a reporter where it is. What it keeps goes with it,
 * unless a folder is given to put it into, or a data folder.
 * @param {string[]} args @param {{ dataParent?: string, dataFolder?: string, env?: Record<string, string> }} options
 */
export async function startService(args = [], { dataParent, dataFolder, env = {} } = {}) {
  const folder =
    dataFolder ?? (await mkdtemp(path.join(dataParent ?? os.tmpdir(), 'runledger-bench-service-')))
  if (dataFolder !== undefined) await mkdir(dataFolder, { recursive: true })
  const cli = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
  const child = spawn(process.execPath, [cli, 'serve', '--json', '--port', '0', '--data', folder, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { url } = JSON.parse(await readFirstLine(child))
  const credentials = JSON.parse(await readFile(path.join(folder, 'credentials.json'), 'utf8'))
  return {
    pid: child.pid,
    variables: {
      RUNLEDGER_URL: url,
      RUNLEDGER_API_KEY: credentials.api_key,
      RUNLEDGER_PROCEDURE_ID: credentials.procedure_id,
    },
    countRuns: async () => {
      const headers = { authorization: `Bearer ${credentials.api_key}` }
      let count = 0
      for (let cursor = ''; ;) {
        const page = await (await fetch(`${url}/v2/runs?limit=100${cursor}`, { headers })).json()
        count += page.data.length
        if (!page.meta.has_more) return count
        cursor = `&cursor=${page.meta.next_cursor}`
      }
    },
    /** Every run as it is on record; at most a hundred. */
    readRuns: async () => {
      const headers = { authorization: `Bearer ${credentials.api_key}` }
      const get = async (pathname) => (await fetch(url + pathname, { headers })).json()
      const { data } = await get('/v2/runs?limit=100')
      return Promise.all(data.map(({ id }) => get(`/v2/runs/${id}`)))
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      if (dataParent === undefined && dataFolder === undefined)
        await rm(folder, { recursive: true, force: true })
    },
  }
}

const MS_PER_TICK = 10

/** User and system time of a process; 0 where the system has no such file. @param {number} pid */
export function readCpuMs(pid) {
  if (!existsSync(`/proc/${pid}/stat`)) return 0
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * MS_PER_TICK
}

/** Starts a service in a process of its own that answers at once and only counts; see `stand-in.mjs`. */
export function startStandIn() {
  return startCounting('./stand-in.mjs')
}

/** The same for a service without our additions; see `bare-service.mjs`. */
export function startBareService() {
  return startCounting('./bare-service.mjs')
}

/** @param {string} file */
async function startCounting(file) {
  const script = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = `http://127.0.0.1:${await readFirstLine(child)}`
  return {
    variables: { RUNLEDGER_URL: url, RUNLEDGER_API_KEY: 'rl_user_bench', RUNLEDGER_PROCEDURE_ID: 'bench' },
    /** @returns {Promise<Record<'runs' | 'requests' | 'received' | 'linked', number> & { faults: string[] }>} */
    count: async () => (await fetch(`${url}/counts`)).json(),
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** @param {import('node:child_process').ChildProcess} child */
async function readFirstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the service did not start: is it built?')
}

/** Until the service has done what it does at its start. */
export async function waitUntilIdle(pid) {
  for (let before = readCpuMs(pid); ; before = readCpuMs(pid)) {
    await sleep(2_000)
    if (readCpuMs(pid) - before < 100) return
  }
}
