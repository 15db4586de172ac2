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
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(IS_POSIX ? -child.pid : child.pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
  const timer = setTimeout(() => {
    output.isLate = true
    end()
  }, timeoutMs)
  process.once('exit', end)
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      process.removeListener('exit', end)
      resolve(output)
    }
    child.once('error', (error) => {
      output.stderr += error.message
      finish()
    })
    child.once('close', finish)
  })
}
