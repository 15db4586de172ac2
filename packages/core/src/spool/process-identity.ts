import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** What tells a process from every other one, a later one with the same number included. */
export interface ProcessIdentity {
  host: string
  pid: number
  /** When the process began, in the system's own count; `0` where that cannot be known. */
  startedAt: string
}

const UNKNOWN_START = '0'

let own: ProcessIdentity | undefined

export function identifyOwnProcess(): ProcessIdentity {
  own ??= identify()
  return own
}

function identify(): ProcessIdentity {
  const { startedAt } = readProcess(process.pid)
  return { host: hashHostName(), pid: process.pid, startedAt }
}

/** True while the process runs; undefined for one on another machine, of which nothing can be known. */
export function isRunning({ host, pid, startedAt }: ProcessIdentity): boolean | undefined {
  if (host !== hashHostName()) return undefined
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
    // Of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Asks Linux; a killed process whose parent has not looked yet is still listed, as a zombie. */
function readProcess(pid: number): { startedAt: string; hasEnded: boolean } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the name in brackets, may hold spaces and brackets; the 3rd is the state, the 22nd the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { startedAt: fields[19] ?? UNKNOWN_START, hasEnded: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return { startedAt: UNKNOWN_START, hasEnded: false }
  }
}

function hashHostName(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12)
}
