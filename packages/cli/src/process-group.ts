import { type ChildProcess, spawn, spawnSync } from 'node:child_process'

/** What ends a program that a user stops, or whose terminal is closed. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const IS_POSIX = process.platform !== 'win32'
/** After the end of a program, its last output is still read for this time: something outside its group may hold the pipe. */
const LAST_OUTPUT_MS = 500

export interface GroupOptions {
  cwd: string
  env: Record<string, string | undefined>
  shell?: boolean
  /** Called with what it prints on standard output and standard error. */
  onOutput(text: string, stream: 'stdout' | 'stderr'): void
}

/** A program and everything that it starts. */
export interface ProcessGroup {
  /** Null if a signal ended it, or it could not be started. Never rejects. */
  ended: Promise<number | null>
  /** On Windows, every signal ends it at once, but nothing that the program has left running: its number may name another process. */
  send(signal: NodeJS.Signals): void
}

/** Starts a program in a group of its own, which ends when the program (not on Windows) or this process does. */
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
    // It has ended.
  }
}
