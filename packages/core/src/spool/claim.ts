import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readdir, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { FILE_MODE } from '../util/durable-write'
import { identifyOwnProcess, isRunning } from './process-identity'

const CLAIM = /^claim-([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+$/

/** How long the claim of a process on another machine holds, in milliseconds: whether that one still runs is unknown. */
const FOREIGN_CLAIM_MS = 60 * 60 * 1000

/** Puts a claim into a folder that nobody else can see yet; answers the claim's file. */
export function writeClaim(folder: string): string {
  const { host, pid, startedAt } = identifyOwnProcess()
  // All that a claim says is in its name: it is there whole or not at all.
  const claim = path.join(folder, `claim-${host}-${pid}-${startedAt}-${randomUUID().slice(-12)}`)
  writeFileSync(claim, '', { mode: FILE_MODE, flag: 'wx' })
  return claim
}

/**
 * Claims an entry, so that no two executions send it at once; undefined when a running process has it. Whoever writes
 * a claim looks again afterwards: of two at the same moment at least one sees the other, and withdraws. The claim of a
 * process that has ended (killed, say) counts for nothing.
 */
export async function claimFolder(folder: string): Promise<string | undefined> {
  if (await isClaimed(folder)) return undefined
  const own = writeClaim(folder)
  if (!(await isClaimed(folder, own))) {
    await removeOtherClaims(folder, own)
    return own
  }
  await releaseClaim(own)
  return undefined
}

export async function releaseClaim(claim: string): Promise<void> {
  letGoOfClaim(claim)
  await rm(claim, { force: true })
}

/** How often claims are made new, in milliseconds. */
const RENEWAL_MS = 10 * 60 * 1000

const held = new Set<string>()
let renewal: NodeJS.Timeout | undefined
let isRenewing = false

/** Keeps a claim of this process from growing old on another machine, until it is released; keeps no process alive. */
export function holdClaim(claim: string): void {
  held.add(claim)
  renewal ??= setInterval(() => void renewClaims(), RENEWAL_MS).unref()
}

/** Of a claim that goes with its folder, or whose folder does not answer. */
export function letGoOfClaim(claim: string): void {
  held.delete(claim)
  if (held.size > 0) return
  clearInterval(renewal)
  renewal = undefined
}

/** One after the other: a folder that hangs takes one of the few threads of the process, which the framework needs too. */
async function renewClaims(): Promise<void> {
  if (isRenewing) return
  isRenewing = true
  for (const claim of held) {
    const now = new Date()
    await utimes(claim, now, now).catch(() => undefined)
  }
  isRenewing = false
}

/** True when a process that runs, or may run, has claimed the entry; one's own claim does not count. */
export async function isClaimed(folder: string, own?: string): Promise<boolean> {
  for (const claim of await listClaims(folder)) {
    if (claim !== own && (await isLive(claim))) return true
  }
  return false
}

/** True when somebody had claimed the folder, and has ended since. */
export async function isForsaken(folder: string): Promise<boolean> {
  return (await listClaims(folder)).length > 0 && !(await isClaimed(folder))
}

async function removeOtherClaims(folder: string, own: string): Promise<void> {
  for (const claim of await listClaims(folder)) if (claim !== own) await rm(claim, { force: true })
}

async function listClaims(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => CLAIM.test(name)).map((name) => path.join(folder, name))
}

async function isLive(claim: string): Promise<boolean> {
  const [, host = '', pid, startedAt = '0'] = CLAIM.exec(path.basename(claim)) ?? []
  return isRunning({ host, pid: Number(pid), startedAt }) ?? isRecent(claim)
}

async function isRecent(claim: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(claim)).mtimeMs < FOREIGN_CLAIM_MS
  } catch {
    return false
  }
}
