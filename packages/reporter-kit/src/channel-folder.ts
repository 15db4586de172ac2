import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { explainDistrust, messageOf, printWarning } from '@runledger/core/light'
import { announceChannelFolder } from './test-side/channel'

/** Containers may share a temporary folder, so names include the machine. A process id follows. */
const PREFIX = `runledger-channel-${hostname().replaceAll(/[^\w]/g, '')}-`

interface SharedFolder {
  folder: string
  users: number
}

// On the process: a reporter that is listed twice may be loaded twice.
const SHARED = Symbol.for('runledger.channel')
const holder = process as { [SHARED]?: SharedFolder | undefined }

/**
 * The private temporary folder for events and files of tests. All reporters of a process share one; the last removes it,
 * and those of killed processes.
 */
export class ChannelFolder {
  #isOpen = false

  /** Called before any worker starts. Undefined if it cannot be created: events are lost. */
  open(): string | undefined {
    try {
      // Only the owner can access a folder of `mkdtemp`.
      const create = (): string => mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-`))
      const shared = (holder[SHARED] ??= { folder: create(), users: 0 })
      shared.users += 1
      this.#isOpen = true
      announceChannelFolder(shared.folder)
      return shared.folder
    } catch (error) {
      printWarning(`measurements and attachments of tests are not on record: ${messageOf(error)}`)
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
    removeFolder(shared.folder)
    removeAbandonedFolders()
  }
}

function removeAbandonedFolders(): void {
  try {
    for (const name of readdirSync(tmpdir())) {
      if (!name.startsWith(PREFIX)) continue
      const pid = Number(name.slice(PREFIX.length).split('-', 1)[0])
      const folder = path.join(tmpdir(), name)
      // Another user's folder may lead elsewhere while it is removed.
      if (pid > 0 && !isAlive(pid) && explainDistrust(folder, {}) === undefined) removeFolder(folder)
    }
  } catch {
    // The temporary folder cannot be listed: the system clears it.
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

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another user's, or in use: the system clears it.
  }
}
