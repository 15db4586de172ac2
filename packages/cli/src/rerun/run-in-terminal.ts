import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'
import { quoteForCmd } from '../repeat/quote-for-cmd'

const NOT_OURS = () => undefined

/** Runs a command that prints and reads where this one does; returns its exit code. @throws CommandError if it cannot start */
export async function runInTerminal(
  command: readonly string[],
  { cwd, env, stdout }: { cwd: string; env: CommandContext['env']; stdout: 'inherit' | 2 },
): Promise<number> {
  const { program, args, shell } = findSpawn(command)
  const child = spawn(program, args, { cwd, env, stdio: ['inherit', stdout, 'inherit'], shell })
  const pass = () => void child.kill('SIGTERM')
  // Ctrl+C of a terminal reaches the command by itself.
  process.on('SIGINT', NOT_OURS).on('SIGTERM', pass)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new CommandError(`cannot run ${program}: ${error.message}`)))
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
    })
  } finally {
    process.off('SIGINT', NOT_OURS).off('SIGTERM', pass)
  }
}

/** What Node is to start for a command. npx and others are scripts of the shell on Windows, which takes words in quotes. */
export function findSpawn(
  [program = '', ...args]: readonly string[],
  platform: NodeJS.Platform = process.platform,
): { program: string; args: readonly string[]; shell: boolean } {
  const shell = platform === 'win32'
  if (!shell) return { program, args, shell }
  return { program: quoteForCmd(program), args: args.map(quoteForCmd), shell }
}
