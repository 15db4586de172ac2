import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'

const IS_WINDOWS = process.platform === 'win32'
const NOT_OURS = () => undefined

/** Runs a command that prints and reads where this one does; returns its exit code. @throws CommandError if it cannot start */
export async function runInTerminal(
  [program = '', ...args]: readonly string[],
  { cwd, env, stdout }: { cwd: string; env: CommandContext['env']; stdout: 'inherit' | 2 },
): Promise<number> {
  // npx and others are scripts of the shell on Windows.
  const given = IS_WINDOWS ? args.map(quote) : args
  const child = spawn(program, given, { cwd, env, stdio: ['inherit', stdout, 'inherit'], shell: IS_WINDOWS })
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

function quote(text: string): string {
  return `"${text.replaceAll(/(\\*)"/g, String.raw`$1$1\"`)}"`
}
