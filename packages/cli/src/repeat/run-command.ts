import { startGroup } from '../process-group'
import { quoteForCmd } from './quote-for-cmd'

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

/** Runs a command to its end: a program with arguments, or one text for a shell. What it leaves running ends with it. */
export async function runCommand(
  command: readonly string[] | string,
  { cwd, env, stop }: CommandPlace,
): Promise<CommandEnd> {
  // npx and others are scripts of the shell on Windows.
  const started =
    typeof command !== 'string' && process.platform === 'win32' ? command.map(quoteForCmd).join(' ') : command
  const [program = '', ...args] = typeof started === 'string' ? [started] : started
  let tail = ''
  const group = startGroup(program, args, {
    cwd,
    env,
    shell: typeof started === 'string',
    onOutput: (text) => void (tail = (tail + text).slice(-MAX_TAIL)),
  })
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    group.send('SIGINT')
    timer = setTimeout(() => group.send('SIGKILL'), GRACE_MS)
  }
  stop.addEventListener('abort', end, { once: true })
  if (stop.aborted) end()
  const exitCode = await group.ended
  clearTimeout(timer)
  stop.removeEventListener('abort', end)
  return { exitCode, tail }
}
