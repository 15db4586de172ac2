import { hash, randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { Environment } from '../config/options'
import { describeIgnored, explainDistrust } from '../config/trust'
import { codeOf, FILE_MODE, makeFolder } from '../util/files'
import { parseJson } from '../util/text'

/** A list as it was received, and by how much the service's clock was ahead of this machine's at that time. */
export interface CachedList {
  signed: unknown
  clockLeadMs: number
}

/** The file of a procedure's list, in the project's folder for lists. */
export function findListFile(
  folder: string,
  { url, procedureId }: { url: string; procedureId: string },
): string {
  return path.join(folder, `${hash('sha256', JSON.stringify([url, procedureId])).slice(0, 32)}.json`)
}

/** Whole or not at all. @throws the system's errors */
export async function keepList(file: string, { signed, clockLeadMs }: CachedList): Promise<void> {
  await makeFolder(path.dirname(file))
  const fresh = `${file}.${randomUUID()}`
  try {
    writeFileSync(fresh, JSON.stringify({ signed, clock_lead_ms: clockLeadMs }), {
      mode: FILE_MODE,
      flag: 'wx',
    })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** Undefined without one. @throws Error if another user may have written it, or it cannot be read */
export function readKeptList(file: string, env: Environment): CachedList | undefined {
  const text = readIfThere(file)
  if (text === undefined) return undefined
  const problem = explainDistrust(file, env)
  if (problem !== undefined) throw new Error(describeIgnored(file, problem, path.dirname(file)))
  const kept = z.object({ signed: z.unknown(), clock_lead_ms: z.number() }).safeParse(parseJson(text)).data
  if (kept === undefined) throw new Error(`${file} cannot be read`)
  return { signed: kept.signed, clockLeadMs: kept.clock_lead_ms }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
