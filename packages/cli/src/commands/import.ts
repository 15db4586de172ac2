import type { Options } from '@runledger/core'
import { ConfigError, messageOf, resolveOptions } from '@runledger/core/tools'
import { type Command, Option } from 'commander'
import path from 'node:path'
import { ReportedError } from '../command-error'
import { DIR_OPTION, findFolder } from '../find-folder'
import { FORMATS, type Format } from '../import/formats'
import { readResultFile, type ReadSettings, type ResultFile } from '../import/read-file'
import {
  type Imported,
  type ImportSettings,
  listSuites,
  planFiles,
  recordFiles,
} from '../import/record-files'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface, Surroundings } from '../surroundings'
import { count, formatTable } from '../table'
import { withoutSwitch } from '../with-service'

interface ImportFlags {
  format?: Format
  procedure?: string
  serialNumber?: string
  partNumber?: string
  revision?: string
  group?: string
  attachments: boolean
  localTime?: boolean
  dryRun?: boolean
  url?: string
  dir?: string
  json?: boolean
}

/** `runledger import`: puts results on record that other tools wrote into files. */
export function registerImport(program: Command, output: Output, surroundings: Surroundings): void {
  program
    .command('import')
    .description(
      'Put results on record that other tools wrote: JUnit XML, CTRF, or JSON of Playwright, Jest or Vitest.',
    )
    .argument('<files...>', 'files of results')
    .addOption(
      new Option('--format <format>', 'what they are (default: told by their content)').choices(FORMATS),
    )
    .option('--procedure <id>', 'procedure that the runs belong to (RUNLEDGER_PROCEDURE_ID)')
    .option('--serial-number <text>', 'unit under test (RUNLEDGER_SERIAL_NUMBER; default: the software)')
    .option('--part-number <text>', 'its part (RUNLEDGER_PART_NUMBER)')
    .option('--revision <text>', 'its revision (RUNLEDGER_REVISION)')
    .option('--group <id>', 'id that all these runs share (RUNLEDGER_GROUP; default: the CI build)')
    .option('--no-attachments', 'leave out the files that results name')
    .option('--local-time', 'times without a zone are of this machine (default: UTC)')
    .option('--dry-run', 'show what would be put on record, and send nothing')
    .option('--url <url>', 'the service to send to')
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"recorded", "known", "failed", "empty", "unreadable", …}')
    .addHelpText('after', HELP)
    .action((files: string[], flags: ImportFlags) => importFiles(files, flags, { output, surroundings }))
}

const HELP = `
The same file is put on record once: a second time it says "already on record".
Exit code 0 only when everything in the files is on record.`

async function importFiles(names: string[], flags: ImportFlags, surface: Surface): Promise<void> {
  const settings = findSettings(flags, surface.surroundings)
  const { files, unreadable } = await readFiles(names, settings.reading, surface.surroundings.cwd)
  for (const problem of unreadable) surface.output.err(`runledger: ${toPlainText(problem)}`)
  for (const { name, refused } of files)
    if (refused[0] !== undefined) surface.output.err(toPlainText(`${name}: ${describeRefused(refused)}`))
  const result = flags.dryRun
    ? { imported: await plan(files, settings, surface.output), keptCount: 0 }
    : files.length === 0
      ? { imported: [], keptCount: 0 }
      : await recordFiles(files, settings)
  if (flags.json) writeJson(surface.output, toRecord(result.imported, unreadable))
  else surface.output.out(describe(result, flags.dryRun === true))
  const isWhole = result.imported.every(
    ({ status, problems }) => status !== 'failed' && problems.length === 0,
  )
  if (unreadable.length > 0 || !isWhole) throw new ReportedError()
}

/** Nobody waits for tests here: it ends when everything is sent, or when that takes too long. */
const DEADLINE_MS = 60 * 60 * 1000

/** @throws ConfigError where there is no procedure */
function findSettings(
  flags: ImportFlags,
  { cwd, env: given }: Surroundings,
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
    ...(given['RUNLEDGER_DEADLINE_MS']?.trim() ? {} : { deadlineMs: DEADLINE_MS }),
  }
  const { procedureId } = resolveOptions(options, env, projectRoot)
  if (typeof procedureId !== 'string')
    throw new ConfigError('no procedure: give --procedure, or set RUNLEDGER_PROCEDURE_ID')
  const { format, localTime = false, serialNumber, partNumber, revision } = flags
  const named = [serialNumber, partNumber, revision, group]
  const reading = { format, projectRoot, procedureId, named, isLocalTime: localTime, attachments }
  return { options, env, projectRoot, reading }
}

/** Every file is read whole before anything is sent; one that cannot be read does not hold up the others. */
async function readFiles(
  names: readonly string[],
  settings: ReadSettings,
  cwd: string,
): Promise<{ files: ResultFile[]; unreadable: string[] }> {
  const files: ResultFile[] = []
  const unreadable: string[] = []
  for (const name of names) {
    try {
      files.push(await readResultFile(name, path.resolve(cwd, name), settings))
    } catch (error) {
      unreadable.push(messageOf(error))
    }
  }
  return { files, unreadable }
}

function describeRefused([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return `${count(others.length + 1, 'file')} of it not attached: ${first}${more}`
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

const WORDS = {
  recorded: 'recorded',
  known: 'already on record',
  failed: 'not recorded',
  empty: 'nothing ran',
  new: 'new',
} as const

function describe(
  { imported, keptCount }: { imported: readonly Imported[]; keptCount: number },
  isDryRun: boolean,
): string {
  const rows = imported.map(({ file, suite, status, url, runId, problems }) => [
    WORDS[status],
    file.name,
    [suite.project, suite.file].filter(Boolean).join(' › '),
    suite.outcome,
    describeTests(suite.tests),
    [url ?? (runId && `run ${runId}`), ...problems].filter(Boolean).join('; '),
  ])
  const counts = (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((status) => {
    const number = imported.filter((each) => each.status === status).length
    return number === 0 ? [] : [`${number} ${WORDS[status]}`]
  })
  const sentences = [
    `${count(imported.length, 'run')}${counts.length > 0 ? `: ${counts.join(', ')}` : ''}.`,
    ...(isDryRun ? ['Nothing was sent.'] : []),
    ...(keptCount > 0 ? [`${count(keptCount, 'run')} waiting: npx runledger upload sends them.`] : []),
  ]
  if (rows.length === 0) return sentences.join('\n')
  return [formatTable(['', 'file', 'run', 'verdict', 'tests', ''], rows), '', ...sentences].join('\n')
}

function describeTests(tests: Imported['suite']['tests']): string {
  const [passed, failed] = (['passed', 'failed'] as const).map(
    (outcome) => tests.filter((test) => test.outcome === outcome).length,
  )
  const skipped = tests.length - (passed ?? 0) - (failed ?? 0)
  const parts = [
    `${passed} passed`,
    ...(failed ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return parts.join(', ')
}

function toRecord(imported: readonly Imported[], unreadable: readonly string[]) {
  const pick = (status: Imported['status']) =>
    imported
      .filter((each) => each.status === status)
      .map(({ file, suite, url, runId, problems }) => ({
        submission_id: suite.submissionId,
        source: file.name,
        project: suite.project || null,
        file: suite.file,
        passed: suite.outcome === 'passed',
        url: url ?? null,
        run_id: runId ?? null,
        problems,
      }))
  const statuses = Object.keys(WORDS) as Imported['status'][]
  return { ...Object.fromEntries(statuses.map((status) => [status, pick(status)])), unreadable }
}
