import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findFreePort } from './recording-proxy.ts'

const execute = promisify(execFile)

const USER = 'runledger'
/** Asked for by the server, so that tests see what becomes of it. */
export const PASSWORD = 'hunter2-of-postgres'

/** Where Debian has the programs of the newest PostgreSQL that is installed. */
const DEBIAN = '/usr/lib/postgresql'

/** The folder of `initdb` and `postgres`; undefined where there is no PostgreSQL. */
export function findPostgres(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => path.join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(path.delimiter),
  ]
  return folders.find((folder) => existsSync(path.join(folder, 'initdb')))
}

/** A PostgreSQL of its own, whose data are in a temporary folder. */
export interface Postgres {
  /** Address of a database, by its name. */
  urlOf(database: string): string
  createDatabase(name: string): Promise<string>
  /** Ends it at once, with every connection. */
  kill(): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** Whether what is committed is on the disk, which no test needs and takes longer. */
  isSynced?: boolean
}

export async function startPostgres({ isSynced = false }: PostgresOptions = {}): Promise<Postgres> {
  const bin = findPostgres()
  if (bin === undefined) throw new Error('There is no PostgreSQL: apt-get install postgresql')
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-postgres-'))
  const owner = findOwner()
  if (owner) await chown(folder, owner.uid, owner.gid)
  const dataDir = path.join(folder, 'data')
  await initialize(bin, { folder, dataDir, owner })
  const port = await findFreePort()
  const urlOf = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`
  const run = (program: string, args: string[]) => execute(path.join(bin, program), args)
  let server: ChildProcess
  const start = async () => {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      `fsync=${isSynced ? 'on' : 'off'}`,
      'max_connections=300',
    ]
    const args = ['-D', dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    server = spawn(path.join(bin, 'postgres'), args, { ...owner, cwd: folder, stdio: 'ignore' })
    await waitUntil(() => run('pg_isready', ['-h', '127.0.0.1', '-p', String(port)]))
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    if (server.exitCode === null && server.kill(signal)) await ended
  }
  await start()
  return {
    urlOf,
    start,
    createDatabase: async (name) => {
      await run('psql', ['-q', '-c', `CREATE DATABASE ${name}`, urlOf('postgres')])
      return urlOf(name)
    },
    // Not SIGKILL: its processes would hold the port and the memory that they share.
    kill: () => end('SIGQUIT'),
    stop: async () => {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Owner {
  uid: number
  gid: number
}

/** PostgreSQL does not run as root. */
function findOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

interface Cluster {
  folder: string
  dataDir: string
  owner: Owner | undefined
}

/** By default its databases compare texts as people in America do: what is sorted by bytes all the same says so itself. */
async function initialize(bin: string, { folder, dataDir, owner }: Cluster): Promise<void> {
  const passwordFile = path.join(folder, 'password')
  await writeFile(passwordFile, `${PASSWORD}\n`)
  if (owner) await chown(passwordFile, owner.uid, owner.gid)
  const collation = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8']
  const access = [`--username=${USER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['--pgdata', dataDir, '--no-sync', ...collation, ...access]
  await execute(path.join(bin, 'initdb'), args, { ...owner, cwd: folder })
}

async function waitUntil(check: () => Promise<unknown>): Promise<void> {
  for (let left = 300; ; left -= 1) {
    try {
      await check()
      return
    } catch (error) {
      if (left === 0) throw error
      await sleep(100)
    }
  }
}
