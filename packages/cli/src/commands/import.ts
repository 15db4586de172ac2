import type { Options } from '@runledger/core'
import { ConfigError, messageOf, resolveOptions, toPlainLine } from '@runledger/core/tools'
import { type Command, Option } from 'commander'
import { statSync } from 'node:fs'
import path from 'node:path'
import { ReportedError, UsageError } from '../command-error'
import { DIR_OPTION, findFolder } from '../find-folder'
import { FORMATS, type Format } from '../import/formats'
import { formatImported, formatRefused, toImportRecord } from '../import/format-imported'
import { readResultFile, type ReadSettings, type ResultFile } from '../import/read-file'
import {
  type Imported,
  type ImportSettings,
  listSuites,
  planFiles,
  recordFiles,
} from '../import/record-files'
import { readMapping } from '../import/read-mapping'
import { isReportFile, recordReports } from '../import/record-reports'
import { watchFolders } from '../import/watch-folders'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import { waitForStopSignal } from '../stop-signal'
import type { Surface, CommandContext } from '../command-context'
import { withoutSwitch } from '../with-service'

interface ImportFlags {
  format?: Format
  mapping?: string
  procedure?: string
  serialNumber?: string
  partNumber?: string
  revision?: string
  group?: string
  attachments: boolean
  localTime?: boolean
  dryRun?: boolean
  watch?: boolean
  url?: string
  dir?: string
  json?: boolean
}

export function registerImport(program: Command, output: Output, context: CommandContext): void {
  program
    .command('import')
    .description(
      'Put results on record that other tools wrote: test frameworks, OpenHTF, WATS, TestStand, ATML, STDF, ATDF, CSV.',
    )
    .argument('<files...>', 'files of results; with --watch the folders that they come to')
    .addOption(
      new Option('--format <format>', 'what they are (default: told by their content)').choices(FORMATS),
    )
    .option('--mapping <file>', 'what the columns of CSV files are (JSON or YAML); then all files are CSV')
    .option('--procedure <id>', 'procedure that the runs belong to (RUNLEDGER_PROCEDURE_ID)')
    .option('--serial-number <text>', 'unit under test (RUNLEDGER_SERIAL_NUMBER; default: the software)')
    .option('--part-number <text>', 'its part (RUNLEDGER_PART_NUMBER)')
    .option('--revision <text>', 'its revision (RUNLEDGER_REVISION)')
    .option('--group <id>', 'id that all these runs share (RUNLEDGER_GROUP; default: the CI build)')
    .option('--no-attachments', 'leave out the files that results name')
    .option('--local-time', 'times without a zone are of this machine (default: UTC)')
    .option('--dry-run', 'show what would be put on record, and send nothing')
    .addOption(
      new Option('--watch', 'put on record what comes to these folders, until Ctrl+C').conflicts('dryRun'),
    )
    .option('--url <url>', 'the service to send to')
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"recorded", "known", "failed", "empty", "unreadable", …}')
    .addHelpText('after', HELP)
    .action((names: string[], flags: ImportFlags) => {
      const surface = { output, context }
      return flags.watch ? importAsTheyCome(names, flags, surface) : importFiles(names, flags, surface)
    })
}

const HELP = `
The same file is put on record once: a second time it says "already on record".
Exit code 0 only when everything in the files is on record; with --watch when it is stopped.`

async function importFiles(names: string[], flags: ImportFlags, surface: Surface): Promise<void> {
  const { isWhole } = await importOnce(names, flags, surface)
  if (!isWhole) throw new ReportedError()
}

const ENDINGS = ['xml', 'json', 'wsjf', 'wsxf', 'stdf', 'std', 'stdf.gz', 'std.gz', 'atdf', 'atd']
const CSV_ENDINGS = ['csv', 'tsv', 'txt']

async function importAsTheyCome(names: string[], flags: ImportFlags, surface: Surface): Promise<void> {
  const { cwd } = surface.context
  const output = withoutRepetition(surface.output)
  const folders = names.map((name) => path.resolve(cwd, name))
  const other = names.find((_, index) => !isFolder(folders[index] ?? ''))
  if (other !== undefined) throw new UsageError(`--watch takes folders, and ${other} is not a folder`)
  findSettings(flags, surface.context)
  const stop = new AbortController()
  const stopAtSignal = async () => {
    await waitForStopSignal()
    output.err('Finishing what is being sent. Ctrl+C again ends at once.')
    stop.abort()
  }
  void stopAtSignal()
  const endings = flags.mapping === undefined ? ENDINGS : CSV_ENDINGS
  const kinds = endings.map((ending) => `.${ending}`).join(', ')
  output.err(toPlainLine(`Watching ${names.join(', ')} for files that end in ${kinds}. Stop with Ctrl+C.`))
  const handOver = async (files: string[]): Promise<string[]> => {
    const relative = files.map((file) => path.relative(cwd, file))
    try {
      const { later } = await importOnce(relative, flags, { ...surface, output })
      return later.map((name) => path.resolve(cwd, name))
    } catch (error) {
      const message = `${relative.join(', ')}: ${messageOf(error)}`
      output.err(`runledger: ${toPlainText(message)}`)
      if (flags.json) writeJson(output, { error: message })
      return files
    }
  }
  await watchFolders(folders, handOver, { stop: stop.signal, endings })
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** A retry usually fails as before, so the same message is not printed twice. */
function withoutRepetition({ out, err }: Output): Output {
  const last = { out: '', err: '' }
  const tell = (where: 'out' | 'err', text: string) => {
    if (last[where] === text) return
    // What fails again after something else has happened is news.
    if (where === 'out') last.err = ''
    last[where] = text
    ;(where === 'out' ? out : err)(text)
  }
  return { out: (text) => tell('out', text), err: (text) => tell('err', text) }
}

/** `later`: names of files that may be put on record when they are tried again as they are. */
async function importOnce(
  names: string[],
  flags: ImportFlags,
  { output, context }: Surface,
): Promise<{ isWhole: boolean; later: string[] }> {
  const settings = findSettings(flags, context)
  const { files, unreadable, later } = await readFiles(names, settings.reading, context.cwd)
  for (const problem of unreadable) output.err(`runledger: ${toPlainLine(problem)}`)
  for (const { name, refused } of files)
    if (refused[0] !== undefined) output.err(toPlainLine(`${name}: ${formatRefused(refused)}`))
  const reports = files.filter(isReportFile)
  const others = files.filter((file) => !isReportFile(file))
  const { procedureId } = settings.reading
  if (procedureId === undefined && others.length > 0) throw noProcedure()
  const ofSuites = await importSuites(others, settings, { output, isDryRun: flags.dryRun === true })
  const ofReports = flags.dryRun
    ? listSuites(reports)
    : await recordReports(reports, {
        ...settings,
        procedure: flags.procedure,
        otherProcedure: procedureId,
        group: flags.group,
        partNumber: flags.partNumber,
        timeZone: flags.localTime ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined,
      })
  for (const { file, warnings = [] } of ofReports)
    for (const warning of warnings) output.err(toPlainLine(`${file.name}: ${warning}`))
  const result = { ...ofSuites, imported: [...ofSuites.imported, ...ofReports] }
  if (flags.json) writeJson(output, toImportRecord(result.imported, unreadable))
  else if (!flags.watch || files.length > 0) output.out(formatImported(result, flags.dryRun === true))
  const unrecorded = result.imported.filter(
    ({ status, problems }) => status === 'failed' || problems.length > 0,
  )
  return {
    isWhole: unreadable.length === 0 && unrecorded.length === 0,
    later: [...new Set([...later, ...unrecorded.map(({ file }) => file.name)])],
  }
}

function importSuites(
  files: readonly ResultFile[],
  settings: ImportSettings,
  { output, isDryRun }: { output: Output; isDryRun: boolean },
): Promise<{ imported: Imported[]; keptCount: number }> {
  if (files.length === 0) return Promise.resolve({ imported: [], keptCount: 0 })
  if (!isDryRun) return recordFiles(files, settings)
  return plan(files, settings, output).then((imported) => ({ imported, keptCount: 0 }))
}

function noProcedure(): ConfigError {
  return new ConfigError('no procedure: give --procedure, or set RUNLEDGER_PROCEDURE_ID')
}

/** Nobody waits for tests here: it ends when everything is sent, or when that takes too long. */
const DEADLINE_MS = 60 * 60 * 1000

function findSettings(
  flags: ImportFlags,
  { cwd, env: given }: CommandContext,
): ImportSettings & { reading: ReadSettings } {
  const projectRoot = findFolder(flags.dir, cwd)
  const env = withoutSwitch({
    ...given,
    ...(flags.serialNumber !== undefined && { RUNLEDGER_SERIAL_NUMBER: flags.serialNumber }),
    ...(flags.partNumber !== undefined && { RUNLEDGER_PART_NUMBER: flags.partNumber }),
    ...(flags.revision !== undefined && { RUNLEDGER_REVISION: flags.revision }),
  })
  const { url, procedure, group, attachments } = flags
  const options: Options = {
    ...(url !== undefined && { url }),
    ...(procedure !== undefined && { procedureId: procedure }),
    ...(group !== undefined && { group }),
    ...(attachments ? {} : { attachments }),
    ...(flags.watch || given['RUNLEDGER_DEADLINE_MS']?.trim() ? {} : { deadlineMs: DEADLINE_MS }),
  }
  const { procedureId } = resolveOptions(options, env, projectRoot)
  const { format, localTime = false, serialNumber, partNumber, revision } = flags
  if (format === 'csv' && flags.mapping === undefined)
    throw new UsageError('--format csv needs --mapping, a file that says what its columns are')
  if (flags.mapping !== undefined && format !== undefined && format !== 'csv')
    throw new UsageError(`--mapping is for CSV files, and --format says ${format}`)
  const named = [serialNumber, partNumber, revision, group]
  const reading = {
    format,
    projectRoot,
    procedureId: typeof procedureId === 'string' ? procedureId : undefined,
    named,
    unit: { serialNumber, partNumber, revision },
    mapping:
      flags.mapping === undefined ? undefined : readMapping(flags.mapping, path.resolve(cwd, flags.mapping)),
    isLocalTime: localTime,
    attachments,
  }
  return { options, env, projectRoot, reading }
}

/**
 * Reads every file before anything is sent, whether or not others can be read. `later`: files that the system denied us for
 * now.
 */
async function readFiles(
  names: readonly string[],
  settings: ReadSettings,
  cwd: string,
): Promise<{ files: ResultFile[]; unreadable: string[]; later: string[] }> {
  const files: ResultFile[] = []
  const unreadable: string[] = []
  const later: string[] = []
  for (const name of names) {
    try {
      files.push(await readResultFile(name, path.resolve(cwd, name), settings))
    } catch (error) {
      unreadable.push(messageOf(error))
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
      if (cause?.syscall !== undefined) later.push(name)
    }
  }
  return { files, unreadable, later }
}

/** A dry run needs no service: without one it cannot tell what is on record already. */
async function plan(
  files: readonly ResultFile[],
  settings: ImportSettings,
  output: Output,
): Promise<Imported[]> {
  try {
    return await planFiles(files, settings)
  } catch (error) {
    output.err(toPlainText(`what is on record already is not known: ${messageOf(error)}`))
    return listSuites(files)
  }
}
