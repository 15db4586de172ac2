import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { codeOf, FILE_MODE } from '../util/files'

const LEASE_NAME = /^lease-([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+$/

/** How long a lease of another machine is valid: we cannot see its process. */
const FOREIGN_LEASE_MS = 60 * 60 * 1000
const RENEWAL_MS = 10 * 60 * 1000

/**
 * The right to write in a folder, held by one process. It is an empty file whose name has all facts, so it exists wholly
 * or not at all. The lease of an ended process is invalid.
 */
export class Lease {
  readonly #renewal: NodeJS.Timeout

  private constructor(private readonly file: string) {
    this.#renewal = setInterval(() => void renew(file), RENEWAL_MS).unref()
  }

  /** For a folder that this process has just made. */
  static async write(folder: string): Promise<Lease> {
    const { host, pid, startedAt } = identifyOwnProcess()
    const file = path.join(folder, `lease-${host}-${pid}-${startedAt}-${randomUUID().slice(-12)}`)
    await writeFile(file, '', { mode: FILE_MODE, flag: 'wx' })
    return new this(file)
  }

  /** Undefined if another process holds it, or the folder is gone. If two processes try at once, at least one withdraws. */
  static async take(folder: string): Promise<Lease | undefined> {
    let lease: Lease | undefined
    let isTaken = false
    try {
      if (await isLeased(folder)) return undefined
      lease = await this.write(folder)
      if (await isLeased(folder, lease.file)) return undefined
      for (const file of await listLeases(folder)) if (file !== lease.file) await rm(file, { force: true })
      isTaken = true
      return lease
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    } finally {
      if (!isTaken) await lease?.release()
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#renewal)
    await rm(this.file, { force: true }).catch(() => undefined)
  }
}

/** True if a process holds or may hold the folder; ignores the lease `own`. */
export async function isLeased(folder: string, own?: string): Promise<boolean> {
  for (const file of await listLeases(folder)) {
    if (file !== own && (await isLive(file))) return true
  }
  return false
}

async function listLeases(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => LEASE_NAME.test(name)).map((name) => path.join(folder, name))
}

async function isLive(file: string): Promise<boolean> {
  const [, host = '', pid, startedAt = '0'] = LEASE_NAME.exec(path.basename(file)) ?? []
  if (host === hashHostName()) return isRunning(Number(pid), startedAt)
  // All that is known of a process on another machine.
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }))
  return Date.now() - mtimeMs < FOREIGN_LEASE_MS
}

async function renew(file: string): Promise<void> {
  const now = new Date()
  await utimes(file, now, now).catch(() => undefined)
}

/** Distinguishes this process from a later one with the same number. */
export function identifyOwnProcess(): { host: string; pid: number; startedAt: string } {
  return { host: hashHostName(), pid: process.pid, startedAt: readProcess(process.pid).startedAt }
}

function isRunning(pid: number, startedAt: string): boolean {
  if (!canBeSignalled(pid)) return false
  const found = readProcess(pid)
  if (found.hasEnded) return false
  return startedAt === UNKNOWN_START || found.startedAt === UNKNOWN_START || found.startedAt === startedAt
}

function canBeSignalled(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process.
    return codeOf(error) === 'EPERM'
  }
}

/** When a process began, in the system's units; `0` if unknown. */
const UNKNOWN_START = '0'

/** Linux still lists a killed process whose parent has not waited for it, as a zombie. */
function readProcess(pid: number): { startedAt: string; hasEnded: boolean } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, a name in brackets, may hold spaces and brackets; the 3rd is the state, the 22nd the start.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { startedAt: fields[19] ?? UNKNOWN_START, hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return { startedAt: UNKNOWN_START, hasEnded: false }
  }
}

function hashHostName(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12)
}
