import { END_SIGNALS, startGroup } from './process-group'

/** Runs Node with arguments, to its end or until its time is up. */
export type RunNode = (args: readonly string[], options: NodeOptions) => Promise<NodeOutput>

interface NodeOptions {
  cwd: string
  env: Record<string, string | undefined>
  timeoutMs: number
}

export interface NodeOutput {
  stdout: string
  stderr: string
  isLate: boolean
}

export const runNode: RunNode = async (args, { cwd, env, timeoutMs }) => {
  const output = { stdout: '', stderr: '', isLate: false }
  const group = startGroup(process.execPath, args, {
    cwd,
    env,
    onOutput: (text, stream) => void (output[stream] += text),
  })
  // The group gets no Ctrl-C of the terminal, and `exit` is not emitted when a signal ends this process.
  const endBySignal = (signal: NodeJS.Signals) => {
    group.send('SIGKILL')
    process.kill(process.pid, signal)
  }
  const timer = setTimeout(() => {
    output.isLate = true
    group.send('SIGKILL')
  }, timeoutMs)
  for (const signal of END_SIGNALS) process.once(signal, endBySignal)
  await group.ended
  clearTimeout(timer)
  for (const signal of END_SIGNALS) process.removeListener(signal, endBySignal)
  return output
}
