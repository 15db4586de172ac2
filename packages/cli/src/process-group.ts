import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

/** The signals that end a program when a user stops it or closes its terminal. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const IS_POSIX = process.platform !== 'win32'
/** The time to read the last output after a program has ended. A process outside its group may keep the pipe open. */
const LAST_OUTPUT_MS = 500

export interface GroupOptions {
  cwd: string
  env: Record<string, string | undefined>
  shell?: boolean
  /** Receives the text that the program prints. */
  onOutput(text: string, stream: 'stdout' | 'stderr'): void
}

/** A program and all processes that it starts. */
export interface ProcessGroup {
  /** The exit code. Null if a signal ended the program, or it could not start. Never rejects. */
  ended: Promise<number | null>
  /** On Windows, every signal ends a running program at once. An ended program gets none: its id may belong to another process. */
  send(signal: NodeJS.Signals): void
}

/** Starts a program in its own group. The group ends with this process and, except on Windows, with the program. */
export function startGroup(program: string, args: readonly string[], options: GroupOptions): ProcessGroup {
  const { cwd, env, shell, onOutput } = options
  const child = spawn(program, args, {
    cwd,
    env,
    shell,
    detached: IS_POSIX,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => onOutput(text, stream))
  const send = (signal: NodeJS.Signals) => signalGroup(child, signal)
  const kill = () => send('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      onOutput(error.message, 'stderr')
      resolve(null)
    })
    child.once('exit', () => {
      kill()
      setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, LAST_OUTPUT_MS).unref()
    })
    child.once('close', resolve)
  })
  return { ended: ended.finally(() => process.removeListener('exit', kill)), send }
}

function signalGroup({ pid, exitCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  if (!IS_POSIX) {
    if (exitCode === null) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
    return
  }
  try {
    process.kill(-pid, signal)
  } catch {
    // The process has ended.
  }
}
