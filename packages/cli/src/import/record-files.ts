import type { ExecutionFacts, Options, Suite } from '@runledger/core'
import {
  findOnRecord,
  findHandedFile,
  REPEAT_FILE,
  findSpools,
  listWaitingRuns,
  NetworkError,
  type RecordSettings,
  recordSuites,
  uploadSpool,
} from '@runledger/core/tools'
import type { CommandContext } from '../command-context'
import type { ResultFile } from './read-file'

/** `known`: it was on record before. `new`: it would be put on record. */
export type ImportStatus = 'recorded' | 'known' | 'failed' | 'empty' | 'new'

export interface Imported {
  file: ResultFile
  suite: Suite
  status: ImportStatus
  url?: string | undefined
  /** The run's id, where it was on record before. */
  runId?: string | undefined
  problems: string[]
  /** Changes and omissions on the way. */
  warnings?: string[]
}

export interface ImportSettings {
  options: Options
  env: CommandContext['env']
  projectRoot: string
}

/** Puts the suites of files on record, except those that are there already, or wait to be sent. */
export async function recordFiles(
  files: readonly ResultFile[],
  settings: ImportSettings,
): Promise<{ imported: Imported[]; keptCount: number }> {
  const isRepeated = findHandedFile(REPEAT_FILE, settings.env) !== undefined
  const waiting = isRepeated ? new Map<string, string>() : await sendWaiting(files, settings)
  const imported = isRepeated ? listSuites(files) : await planOrRecordAll(files, settings)
  for (const each of imported) markWaiting(each, waiting.get(each.suite.submissionId ?? ''))
  const added = imported.filter(({ status }) => status === 'new')
  let keptCount = waiting.size
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

/** A run that is on record may lack attachments that wait. */
function markWaiting(each: Imported, reason: string | undefined): void {
  if (reason === undefined) return
  if (each.status === 'new') each.status = 'failed'
  each.problems = [`it waits since an earlier import: ${reason}`]
}

/** A service that does not respond cannot say what it has. The runs then wait, and are looked for before they are created. */
async function planOrRecordAll(files: readonly ResultFile[], settings: ImportSettings): Promise<Imported[]> {
  try {
    return await planFiles(files, settings)
  } catch (error) {
    if (error instanceof NetworkError) return listSuites(files)
    throw error
  }
}

/** What is on record already, and what would be put there. @throws ConfigError, NetworkError */
export async function planFiles(files: readonly ResultFile[], settings: ImportSettings): Promise<Imported[]> {
  const planned = listSuites(files)
  const ids = planned.flatMap(({ suite }) => suite.submissionId ?? [])
  const onRecord = await findOnRecord(ids, toRecordSettings(files[0], settings))
  return planned.map((each) => {
    const runId = onRecord.get(each.suite.submissionId ?? '')
    return runId === undefined ? each : { ...each, status: 'known', runId }
  })
}

/** The suites of files; a suite that is in several files is listed once. */
export function listSuites(files: readonly ResultFile[]): Imported[] {
  const bySubmission = new Map(
    files.flatMap((file) =>
      file.suites.map((suite) => [
        suite.submissionId,
        { file, suite, status: 'new', problems: [] } as Imported,
      ]),
    ),
  )
  return [...bySubmission.values()]
}

/**
 * What an earlier import of these files could not send goes first: then it is on record, and is not recorded again. Returns
 * the submission ids of what waits on, each with the reason.
 */
async function sendWaiting(
  files: readonly ResultFile[],
  { options: { url, ...options }, env, projectRoot }: ImportSettings,
): Promise<Map<string, string>> {
  const ids = new Set(listSuites(files).map(({ suite }) => suite.submissionId))
  // As a variable the address does not redirect what waits for another service.
  const sendingEnv = url === undefined ? env : { ...env, RUNLEDGER_URL: url }
  const left = new Map<string, string>()
  for (const found of await findSpools(projectRoot, env)) {
    const findOurs = async (): Promise<string[]> =>
      (await listWaitingRuns(found.spool)).flatMap(({ id, state }) =>
        ids.has(id) && state !== 'quarantined' ? id : [],
      )
    if ((await findOurs()).length === 0) continue
    const { results } = await uploadSpool(found, { options, env: sendingEnv })
    const reasons = new Map(results.map(({ id, reason }) => [id, reason]))
    for (const id of await findOurs()) left.set(id, reasons.get(id) ?? 'it was not sent')
  }
  return left
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
