import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Environment } from '../config/options'
import { readEntryFolder } from './entry-files'
import { FolderSpool } from './folder-spool'
import { findSpoolDir, listSpoolDirs } from './spool-place'

/** A spool, and the project whose runs it holds. */
export interface FoundSpool {
  spool: FolderSpool
  /** Where local credentials are looked for, upward. */
  projectRoot: string
}

/**
 * The spools that a folder stands for: itself when it holds entries; else RUNLEDGER_SPOOL_DIR where that is set; else
 * those of the projects in it, and of the project that it is in (frameworks have their own ideas of a project's root).
 */
export async function findSpools(dir: string, env: Environment): Promise<FoundSpool[]> {
  const folder = path.resolve(dir)
  const given = new FolderSpool(folder)
  if ((await given.list()).length > 0) return [await describe(given, folder)]
  const fromEnv = env['RUNLEDGER_SPOOL_DIR']?.trim()
  if (fromEnv) return [await describe(new FolderSpool(findSpoolDir(fromEnv, env, folder)), folder)]
  const own = findSpoolDir(undefined, env, folder)
  const others = (await listSpoolDirs(env)).filter((spoolDir) => spoolDir !== own)
  const found = await Promise.all(others.map(describeOther))
  return [{ spool: new FolderSpool(own), projectRoot: folder }, ...found.flat().filter(isRelated(folder))]
}

async function describe(spool: FolderSpool, fallback: string): Promise<FoundSpool> {
  return { spool, projectRoot: (await readProjectRoot(spool)) ?? fallback }
}

async function describeOther(spoolDir: string): Promise<FoundSpool[]> {
  const spool = new FolderSpool(spoolDir)
  const projectRoot = await readProjectRoot(spool)
  return projectRoot === undefined ? [] : [{ spool, projectRoot }]
}

/** The project of the first entry that can be read, if it is still there. */
async function readProjectRoot(spool: FolderSpool): Promise<string | undefined> {
  for (const { dir } of await spool.list()) {
    const content = await readEntryFolder(dir).catch(() => undefined)
    const head = Array.isArray(content) ? content[0] : content
    if (head && existsSync(head.projectRoot)) return head.projectRoot
  }
  return undefined
}

function isRelated(folder: string): (found: FoundSpool) => boolean {
  return ({ projectRoot }) => isInside(projectRoot, folder) || isInside(folder, projectRoot)
}

function isInside(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner)
  return !relative.startsWith('..') && !path.isAbsolute(relative)
}
