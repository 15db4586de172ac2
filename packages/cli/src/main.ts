import { ConfigError } from '@runledger/core/tools'
import { SettingError, StartError } from '@runledger/server'
import { Command, CommanderError } from 'commander'
import { CommandError } from './command-error'
import { registerCall } from './commands/call'
import { registerServe } from './commands/serve'
import { registerSpool } from './commands/spool'
import { LeftoverError, registerUpload } from './commands/upload'
import { type Output, processOutput, writeJson } from './output'
import { toPlainText } from './plain-text'
import type { Surroundings } from './surroundings'
import { version } from '../package.json'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** Runs one command and returns the exit code: 0, 1 for a failure, 2 for a command line or a setting that makes no sense. */
export async function main(
  argv: readonly string[],
  output: Output = processOutput,
  surroundings: Surroundings = { env: {}, cwd: process.cwd() },
): Promise<number> {
  try {
    await createProgram(output, surroundings).parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
    if (error instanceof LeftoverError) return EXIT_FAILED
    const message = describeError(error)
    output.err(`runledger: ${message}`)
    if (argv.includes('--json')) writeJson(output, { error: message })
    return error instanceof SettingError ? EXIT_USAGE : EXIT_FAILED
  }
}

function createProgram(output: Output, surroundings: Surroundings): Command {
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
  registerServe(program, output)
  registerUpload(program, output, surroundings)
  registerSpool(program, output, surroundings)
  registerCall(program, output, surroundings)
  return program
}

/** What the user can act on has a message of its own; of anything else the stack is wanted. */
function describeError(error: unknown): string {
  const isExpected = [StartError, ConfigError, CommandError].some((kind) => error instanceof kind)
  if (isExpected) return toPlainText((error as Error).message)
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
