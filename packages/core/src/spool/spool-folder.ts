import type { Stats } from 'node:fs'
import { lstat, open, readdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, makeFolder } from '../util/files'
import { removeExecution } from './execution-log'
import { isLeased } from './lease'
import { parseLogLine, type ExecutionLine } from './log-lines'
import { LOG_FILE } from './read-log'

const QUARANTINE_FOLDER = 'quarantine'
const EXECUTION_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A younger folder without a log may be in the making. */
const UNFINISHED_MS = 60 * 60 * 1000
/** The first line of a log is far shorter. */
const HEAD_BYTES = 64 * 1024

export interface ListedExecution {
  executionId: string
  dir: string
  /** Its first line; undefined if that cannot be read. */
  head: ExecutionLine | undefined
  createdAtMs: number
  sizeBytes: number
}

/** The spool of a project: a folder for each execution with waiting runs. Other content is ignored. */
export class SpoolFolder {
  constructor(readonly dir: string) {}

  /** This user's executions, oldest first, including busy ones. */
  list(): Promise<ListedExecution[]> {
    return listExecutions(this.dir)
  }

  async listQuarantined(): Promise<ListedExecution[]> {
    const folder = path.join(this.dir, QUARANTINE_FOLDER)
    return (await isOwnFolder(folder)) ? listExecutions(folder) : []
  }

  /** Moves an execution away; if that fails, it is skipped. */
  async quarantine({ dir }: Pick<ListedExecution, 'dir'>): Promise<void> {
    const folder = path.join(this.dir, QUARANTINE_FOLDER)
    try {
      await makeFolder(folder)
      if (await isOwnFolder(folder)) await rename(dir, path.join(folder, path.basename(dir)))
    } catch {
      // It stays, and later executions skip it.
    }
  }

  isBusy({ dir }: Pick<ListedExecution, 'dir'>): Promise<boolean> {
    return isLeased(dir).catch(() => true)
  }

  /** Removes what killed processes left. */
  async removeUnfinished(): Promise<void> {
    for (const name of await listNames(this.dir)) {
      const dir = path.join(this.dir, name)
      if (EXECUTION_NAME.test(name) && (await isUnfinished(dir)))
        await removeExecution(dir).catch(() => undefined)
    }
  }
}

async function listExecutions(folder: string): Promise<ListedExecution[]> {
  const names = (await listNames(folder)).filter((name) => EXECUTION_NAME.test(name))
  const executions = await Promise.all(names.map((name) => describeOwn(path.join(folder, name))))
  return executions.filter((each) => each !== undefined).sort((a, b) => a.createdAtMs - b.createdAtMs)
}

/** Undefined for another user's folder, a link, a folder without a log, and one that is gone. */
async function describeOwn(dir: string): Promise<ListedExecution | undefined> {
  try {
    const log = await lstat(path.join(dir, LOG_FILE))
    if (log.isSymbolicLink() || !isOwn(log) || !(await isOwnFolder(dir))) return undefined
    const { mtimeMs } = log
    const head = await readHead(dir).catch(() => undefined)
    const createdAtMs = head === undefined ? mtimeMs : Date.parse(head.createdAt)
    return { executionId: path.basename(dir), dir, head, createdAtMs, sizeBytes: await measureFolder(dir) }
  } catch {
    return undefined
  }
}

/** Another user's link would make us read or delete something else. */
async function isOwnFolder(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => undefined)
  return found !== undefined && found.isDirectory() && isOwn(found)
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid()
}

async function readHead(dir: string): Promise<ExecutionLine | undefined> {
  const handle = await open(path.join(dir, LOG_FILE), 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const [first = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1)
    const line = parseLogLine(first)
    return line?.kind === 'execution' ? line : undefined
  } finally {
    await handle.close()
  }
}

async function measureFolder(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const found = await Promise.all(
    files.map(({ parentPath, name }) => stat(path.join(parentPath, name)).catch(() => undefined)),
  )
  return found.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
}

async function isUnfinished(dir: string): Promise<boolean> {
  try {
    if (!(await isOwnFolder(dir))) return false
    const names = await readdir(dir)
    return !names.includes(LOG_FILE) && Date.now() - (await stat(dir)).mtimeMs > UNFINISHED_MS
  } catch {
    return false
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return []
    throw error
  }
}
