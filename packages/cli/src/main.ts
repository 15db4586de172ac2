import { ApiError, ConfigError, NetworkError, toPlainLine } from '@runledger/core/tools'
import { Command, CommanderError } from 'commander'
import { CommandError, ExitError, ReportedError, UsageError } from './command-error'
import { registerAudit } from './commands/audit'
import { registerBackup } from './commands/backup'
import { registerBisect } from './commands/bisect'
import { registerBuilds } from './commands/builds'
import { registerCall } from './commands/call'
import { registerCheck } from './commands/check'
import { registerCompare } from './commands/compare'
import { registerDoctor } from './commands/doctor'
import { registerErrors } from './commands/errors'
import { registerExplain } from './commands/explain'
import { registerExport } from './commands/export'
import { registerGate } from './commands/gate'
import { registerImport } from './commands/import'
import { registerInit } from './commands/init'
import { registerKeys } from './commands/keys'
import { registerLine } from './commands/line'
import { registerMcp } from './commands/mcp'
import { registerProveFixed } from './commands/prove-fixed'
import { registerRebuildRollUps } from './commands/rebuild-rollups'
import { registerMigrateStorage } from './commands/migrate-storage'
import { registerOpen } from './commands/open'
import { registerQuarantine } from './commands/quarantine'
import { registerReport } from './commands/report'
import { registerRestore } from './commands/restore'
import { registerRun } from './commands/run'
import { registerRuns } from './commands/runs'
import { registerSearch } from './commands/search'
import { registerServe } from './commands/serve'
import { registerShard } from './commands/shard'
import { registerSignIn } from './commands/sign-in'
import { registerSpool } from './commands/spool'
import { registerStatus } from './commands/status'
import { registerTest } from './commands/test'
import { registerTests } from './commands/tests'
import { registerUnit } from './commands/unit'
import { registerUpload } from './commands/upload'
import { registerWebhooks } from './commands/webhooks'
import { needsMoreFiles, TOO_FEW_FILES } from './open-files'
import { type Output, processOutput, writeJson } from './output'
import { toPlainText } from './plain-text'
import type { CommandContext } from './command-context'
import { version } from '../package.json'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/**
 * Runs one command and returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line or setting, or the exit
 * code of the program that the command ran.
 */
export async function main(
  argv: readonly string[],
  output: Output = processOutput,
  context: CommandContext = { env: {}, cwd: process.cwd() },
): Promise<number> {
  try {
    await createProgram(argv, output, context).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    if (error instanceof ReportedError) return EXIT_FAILED
    if (error instanceof ExitError) return endWith(error, output)
    const message = describeError(error)
    // Commander has told its own.
    if (!(error instanceof CommanderError)) output.err(`runledger: ${message}`)
    if (isForPrograms(argv)) writeJson(output, { error: message })
    const isUsage =
      isAny(error, [CommanderError, UsageError, ConfigError]) || hasCode(error, ['SETTING_ERROR'])
    return isUsage ? EXIT_USAGE : EXIT_FAILED
  }
}

function endWith({ exitCode, message }: ExitError, output: Output): number {
  if (message !== '') output.err(`runledger: ${toPlainText(message)}`)
  return exitCode
}

/** Whether `--json` is set. Arguments after `--` belong to another command. */
function isForPrograms(argv: readonly string[]): boolean {
  return argv.slice(0, argv.length - listAfterDashes(argv).length).includes('--json')
}

function listAfterDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end === -1 ? [] : argv.slice(end + 1)
}

function createProgram(argv: readonly string[], output: Output, context: CommandContext): Command {
  const program = new Command('runledger')
    .description('Puts every test run on record.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('Run "runledger --help" for what there is.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out(text.trimEnd()),
      writeErr: (text) => output.err(text.trimEnd()),
    })
  registerInit(program, output, context)
  registerServe(program, output, context)
  registerStatus(program, output, context)
  registerDoctor(program, output, context)
  registerOpen(program, output, context)
  registerSignIn(program, output, context)
  registerKeys(program, output, context)
  registerWebhooks(program, output, context)
  registerAudit(program, output, context)
  registerRuns(program, output, context)
  registerRun(program, { output, context, wordsAfterDashes: listAfterDashes(argv) })
  registerTests(program, output, context)
  registerTest(program, output, context)
  registerExplain(program, output, context)
  registerErrors(program, output, context)
  registerQuarantine(program, output, context)
  registerShard(program, output, context)
  registerProveFixed(program, output, context)
  registerBisect(program, output, context)
  registerBuilds(program, output, context)
  registerCompare(program, output, context)
  registerGate(program, output, context)
  registerReport(program, output, context)
  registerSearch(program, output, context)
  registerLine(program, output, context)
  registerUnit(program, output, context)
  registerMcp(program, context)
  registerUpload(program, output, context)
  registerSpool(program, output, context)
  registerImport(program, output, context)
  registerExport(program, output, context)
  registerCall(program, output, context)
  registerBackup(program, output, context)
  registerRestore(program, output, context)
  registerCheck(program, output, context)
  registerMigrateStorage(program, output, context)
  registerRebuildRollUps(program, output, context)
  return program
}

/** An error that the user can act on has a message of its own; others print their stack. */
function describeError(error: unknown): string {
  if (error instanceof CommanderError) return toPlainLine(error.message.replace(/^error: /, ''))
  if (!(error instanceof Error)) return String(error)
  if (needsMoreFiles(error)) return TOO_FEW_FILES
  const isExpected =
    isAny(error, [ConfigError, CommandError, ApiError, NetworkError]) ||
    hasCode(error, ['START_ERROR', 'SETTING_ERROR'])
  // Errors of the system have a call: `EACCES: permission denied, scandir '…'` says enough.
  return isExpected || 'syscall' in error ? toPlainText(error.message) : (error.stack ?? error.message)
}

function isAny(error: unknown, kinds: readonly (abstract new (...args: never[]) => Error)[]): boolean {
  return kinds.some((kind) => error instanceof kind)
}

/** Recognises errors of the service by their code: only some commands load its classes, which takes a quarter of a second. */
function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
