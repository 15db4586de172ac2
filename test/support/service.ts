import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import {
  CredentialsSchema,
  RunDetailSchema,
  RunPageSchema,
  type RunDetail,
  type RunListItem,
} from '@runledger/protocol'
import {
  createTestDatabase,
  dropTestDatabase,
  findTestStorage,
} from '../../packages/server/src/testing/test-database'
import { REPOSITORY } from './repository'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** A real service in a process of its own, with a fresh data folder. */
export interface Service {
  url: string
  apiKey: string
  procedureId: string
  /** Link that signs a browser in, once. */
  signInUrl: string
  dataDir: string
  pid: number
  listRuns(query?: string): Promise<RunListItem[]>
  readRun(id: string): Promise<RunDetail>
  /** Every run whole, oldest first. */
  readAllRuns(): Promise<RunDetail[]>
  /** The bytes of an attachment, by its name in the run. */
  download(run: RunDetail, name: string): Promise<Buffer>
  get(pathname: string): Promise<Response>
  stop(): Promise<void>
  /** Ends it as a power cut would, its folder stays. */
  kill(): Promise<void>
}

interface ServiceOptions {
  args?: string[]
  env?: NodeJS.ProcessEnv
  /** Where it runs. */
  folder?: string
  /** What `runledger` is called by; by default the built one. */
  command?: string[]
  /** Where it listens, when its own address is that of a proxy in front of it. */
  localUrl?: string
}

/** Starts the service on a free port, by `runledger serve`. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = options.folder ?? (await mkdtemp(path.join(os.tmpdir(), 'runledger-service-')))
  const dataDir = path.join(folder, '.runledger')
  const database = await createTestDatabase(dataDir)
  const [command, ...args] = options.command ?? [process.execPath, CLI]
  const child = spawn(
    command as string,
    [...args, 'serve', '--json', '--port', '0', '--data', dataDir, ...(options.args ?? [])],
    {
      cwd: folder,
      env: {
        ...process.env,
        ...(database !== undefined && { RUNLEDGER_DATABASE: database }),
        ...findTestStorage(dataDir),
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // The command may start others, not all of which pass a signal on.
      detached: options.command !== undefined,
    },
  )
  const pid = child.pid as number
  const { url, sign_in_url: signInUrl } = await readFirstLine(child)
  const credentials = CredentialsSchema.parse(
    JSON.parse(await readFile(path.join(dataDir, 'credentials.json'), 'utf8')),
  )
  // A connection of its own: between two requests of a test the service may close one that is kept.
  const get = (pathname: string) =>
    fetch((options.localUrl ?? url) + pathname, {
      headers: { authorization: `Bearer ${credentials.api_key}`, connection: 'close' },
    })
  const reads = createReads(get)
  return {
    url,
    apiKey: credentials.api_key,
    procedureId: credentials.procedure_id ?? '',
    signInUrl,
    dataDir,
    pid,
    get,
    ...reads,
    stop: async () => {
      await stopProcess(child, options.command === undefined ? pid : -pid)
      if (options.folder !== undefined) return
      await rm(folder, { recursive: true, force: true })
      await dropTestDatabase(dataDir)
    },
    kill: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** One key may read some twenty runs at once. */
const READ_AT_ONCE = 16

function createReads(
  get: Service['get'],
): Pick<Service, 'listRuns' | 'readRun' | 'readAllRuns' | 'download'> {
  const readPage = async (query: string) =>
    RunPageSchema.parse(await readJson(await get(`/v2/runs?limit=100${query}`)))
  const listRuns = async (query = '') => (await readPage(query)).data
  const listAll = async (cursor = ''): Promise<RunListItem[]> => {
    const { data, meta } = await readPage(`&sort_by=created_at&sort_order=asc${cursor}`)
    return meta.has_more ? [...data, ...(await listAll(`&cursor=${meta.next_cursor}`))] : data
  }
  const readRun = async (id: string) => RunDetailSchema.parse(await readJson(await get(`/v2/runs/${id}`)))
  return {
    listRuns,
    readRun,
    readAllRuns: async () => {
      const items = await listAll()
      const runs: RunDetail[] = []
      for (let from = 0; from < items.length; from += READ_AT_ONCE)
        runs.push(...(await Promise.all(items.slice(from, from + READ_AT_ONCE).map(({ id }) => readRun(id)))))
      return runs
    },
    download: async (run, name) => {
      const attachment = run.attachments.find((candidate) => candidate.name === name)
      if (!attachment?.download_url) {
        throw new Error(
          `no attachment "${name}"; the run has: ${run.attachments.map((a) => a.name).join(' | ')}`,
        )
      }
      return Buffer.from(await (await fetch(attachment.download_url)).arrayBuffer())
    },
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text)
}

async function readFirstLine(child: ChildProcess): Promise<{ url: string; sign_in_url: string }> {
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const started = JSON.parse(line) as { url: string; sign_in_url: string; error?: string }
    if (started.error === undefined) return started
    complaint ||= started.error
  }
  throw new Error(`the service did not start: ${complaint}`)
}

/** `target` is what the signal goes to: the child, or, below zero, its group. */
async function stopProcess(child: ChildProcess, target: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(target, 'SIGTERM')
  const timer = setTimeout(() => process.kill(target, 'SIGKILL'), 5_000)
  await ended
  clearTimeout(timer)
}
