import { startGroup } from '../process-group'
import { quoteForCmd } from './quote-for-cmd'

export interface CommandPlace {
  cwd: string
  env: Record<string, string | undefined>
  /** Aborting it ends the command. */
  stop: AbortSignal
}

export interface CommandEnd {
  /** Null if a signal ended the command, or it could not start. */
  exitCode: number | null
  /** The end of the output. */
  tail: string
}

const MAX_TAIL = 4_000
const GRACE_MS = 5_000

/** Runs a command to its end: a program with arguments, or a text for a shell. Ends processes that the command leaves running. */
export async function runCommand(
  command: readonly string[] | string,
  { cwd, env, stop }: CommandPlace,
): Promise<CommandEnd> {
  // On Windows, npx and others are scripts of the shell.
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
