import type { ExecutionFacts, Options, Suite } from '@runledger/core'
import {
  findOnRecord,
  findSpools,
  listWaitingRuns,
  type RecordSettings,
  recordSuites,
  uploadSpool,
} from '@runledger/core/tools'
import type { Surroundings } from '../surroundings'
import type { ResultFile } from './read-file'

/** `known`: it was on record before. `new`: it would be put on record. */
export type ImportStatus = 'recorded' | 'known' | 'failed' | 'empty' | 'new'

/** What became of one suite of a file. */
export interface Imported {
  file: ResultFile
  suite: Suite
  status: ImportStatus
  url?: string | undefined
  /** The run's id, where it was on record before. */
  runId?: string | undefined
  problems: string[]
}

export interface ImportSettings {
  options: Options
  env: Surroundings['env']
  projectRoot: string
}

/** Puts the suites of files on record, except those that are there already. */
export async function recordFiles(
  files: readonly ResultFile[],
  settings: ImportSettings,
): Promise<{ imported: Imported[]; keptCount: number }> {
  await sendWaiting(files, settings)
  const imported = await planFiles(files, settings)
  const added = imported.filter(({ status }) => status === 'new')
  let keptCount = 0
  for (const sameTool of groupByTool(added)) {
    const [first] = sameTool
    const suites = sameTool.map(({ suite }) => suite)
    const recorded = await recordSuites(suites, toRecordSettings(first?.file, settings))
    keptCount += recorded.keptCount
    for (const [index, { status, url, problems }] of recorded.records.entries())
      Object.assign(sameTool[index] as Imported, { status, url, problems })
  }
  return { imported, keptCount }
}

/** What is on record already, and what would be put there. @throws ConfigError, NetworkError */
export async function planFiles(files: readonly ResultFile[], settings: ImportSettings): Promise<Imported[]> {
  const planned = listSuites(files)
  const ids = planned.flatMap(({ suite }) => suite.submissionId ?? [])
  const onRecord = await findOnRecord(ids, toRecordSettings(files[0], settings))
  const seen = new Set<string>()
  return planned.map((each) => {
    const id = each.suite.submissionId ?? ''
    const runId = onRecord.get(id)
    // The same file may have been named twice.
    const isKnown = runId !== undefined || seen.has(id)
    seen.add(id)
    return isKnown ? { ...each, status: 'known', runId } : each
  })
}

export function listSuites(files: readonly ResultFile[]): Imported[] {
  return files.flatMap((file) =>
    file.suites.map((suite): Imported => ({ file, suite, status: 'new', problems: [] })),
  )
}

/** What an earlier import of these files could not send goes first: then it is on record, and is not recorded again. */
async function sendWaiting(
  files: readonly ResultFile[],
  { options, env, projectRoot }: ImportSettings,
): Promise<void> {
  const ids = new Set(listSuites(files).map(({ suite }) => suite.submissionId))
  for (const spool of await findSpools(projectRoot, env)) {
    const waiting = await listWaitingRuns(spool.spool)
    if (waiting.some(({ id }) => ids.has(id))) await uploadSpool(spool, { options, env })
  }
}

function groupByTool(imported: readonly Imported[]): Imported[][] {
  const groups = new Map<string, Imported[]>()
  for (const each of imported) {
    const tool = JSON.stringify([each.file.framework, each.file.frameworkVersion])
    const group = groups.get(tool)
    if (group === undefined) groups.set(tool, [each])
    else group.push(each)
  }
  return [...groups.values()]
}

function toRecordSettings(
  file: ResultFile | undefined,
  { options, env, projectRoot }: ImportSettings,
): RecordSettings {
  const facts: ExecutionFacts = {
    framework: file?.framework ?? 'unknown',
    frameworkVersion: file?.frameworkVersion,
    rootDir: projectRoot,
    startedAtMs: Date.now(),
    isImported: true,
  }
  return { facts, options, env }
}
