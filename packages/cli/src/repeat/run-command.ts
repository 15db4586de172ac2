import { spawn } from 'node:child_process'

export interface CommandPlace {
  cwd: string
  env: Record<string, string | undefined>
  /** Ends the command when it is aborted. */
  stop: AbortSignal
}

export interface CommandEnd {
  /** Null if a signal ended it, or it could not be started. */
  exitCode: number | null
  /** The end of what it printed. */
  tail: string
}

const MAX_TAIL = 4_000
const GRACE_MS = 5_000
const IS_POSIX = process.platform !== 'win32'

/** Runs a command to its end: a program with arguments, or one text for a shell. Keeps the end of what it prints. */
export function runCommand(
  command: readonly string[] | string,
  { cwd, env, stop }: CommandPlace,
): Promise<CommandEnd> {
  const [program = '', ...args] = typeof command === 'string' ? [command] : command
  const child = spawn(program, args, {
    cwd,
    env,
    // npx and others are scripts of the shell on Windows.
    shell: typeof command === 'string' || !IS_POSIX,
    // A group of its own, so that what it starts ends with it.
    detached: IS_POSIX,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let tail = ''
  const keep = (text: string) => (tail = (tail + text).slice(-MAX_TAIL))
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  const send = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(IS_POSIX ? -child.pid : child.pid, signal)
    } catch {
      // It has ended.
    }
  }
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    send('SIGINT')
    timer = setTimeout(() => send('SIGKILL'), GRACE_MS)
  }
  const kill = () => send('SIGKILL')
  stop.addEventListener('abort', end, { once: true })
  process.once('exit', kill)
  if (stop.aborted) end()
  return new Promise((resolve) => {
    const finish = (exitCode: number | null) => {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
      process.removeListener('exit', kill)
      resolve({ exitCode, tail })
    }
    child.once('error', (error) => {
      keep(error.message)
      finish(null)
    })
    child.once('close', (code) => finish(code))
  })
}
