import { spawn } from 'node:child_process'

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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const IS_POSIX = process.platform !== 'win32'

export const runNode: RunNode = (args, { cwd, env, timeoutMs }) => {
  // A group of its own, so that what it starts ends with it.
  const child = spawn(process.execPath, args, {
    cwd,
    env,
    detached: IS_POSIX,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '', isLate: false }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(IS_POSIX ? -child.pid : child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  // The group gets no Ctrl-C of the terminal, and `exit` is not emitted when a signal ends this process.
  const endBySignal = (signal: NodeJS.Signals) => {
    end()
    process.kill(process.pid, signal)
  }
  const timer = setTimeout(() => {
    output.isLate = true
    end()
    // A child process may hold them open.
    child.stdout.destroy()
    child.stderr.destroy()
  }, timeoutMs)
  process.once('exit', end)
  for (const signal of SIGNALS) process.once(signal, endBySignal)
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      process.removeListener('exit', end)
      for (const signal of SIGNALS) process.removeListener(signal, endBySignal)
      resolve(output)
    }
    child.once('error', (error) => {
      output.stderr += error.message
      finish()
    })
    child.once('close', finish)
  })
}
