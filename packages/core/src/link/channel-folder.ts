import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { messageOf, tellUser } from '../util/tell-user'
import { announceChannelFolder } from '../test-side/environment'

/** Folders of this machine's executions, by process: containers may share a temporary folder. */
const PREFIX = `runledger-channel-${hostname().replaceAll(/[^\w]/g, '')}-`

interface Shared {
  folder: string
  users: number
}

// On the process: a reporter that is listed twice may be loaded twice.
const SHARED = Symbol.for('runledger.channel')
const holder = process as { [SHARED]?: Shared | undefined }

/**
 * The private temporary folder into which tests write what they say. It is made and announced before any worker starts,
 * is one for all reporters of a process, and goes with the last of them; those that a kill left go with it.
 */
export class ChannelFolder {
  #isOpen = false

  /** Undefined where no folder can be made: tests then have nobody to speak to. */
  open(): string | undefined {
    try {
      const shared = (holder[SHARED] ??= { folder: createFolder(), users: 0 })
      shared.users += 1
      this.#isOpen = true
      announceChannelFolder(shared.folder)
      return shared.folder
    } catch (error) {
      tellUser(`what tests say is not on record: ${messageOf(error)}`)
      return undefined
    }
  }

  remove(): void {
    const shared = holder[SHARED]
    if (!this.#isOpen || shared === undefined) return
    this.#isOpen = false
    shared.users -= 1
    if (shared.users > 0) return
    holder[SHARED] = undefined
    announceChannelFolder(undefined)
    removeQuietly(shared.folder)
    sweep()
  }
}

/** Only its owner may look into a folder that is made so. */
function createFolder(): string {
  return mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-`))
}

function sweep(): void {
  for (const name of listNames(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const pid = Number(name.slice(PREFIX.length).split('-', 1)[0])
    if (pid > 0 && !isAlive(pid)) removeQuietly(path.join(tmpdir(), name))
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It is another user's, or in use: the system clears its temporary folder.
  }
}
