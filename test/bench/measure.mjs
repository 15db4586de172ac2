import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const PEAK_MEMORY = fileURLToPath(new URL('./peak-memory.cjs', import.meta.url))

// The shell's own clock: user and system time of the command and of every process that it waited for.
const TIMED = 'TIMEFORMAT="%R %U %S"; { time "$@" > "$BENCH_OUTPUT" 2>&1; } 2> "$BENCH_TIMES"'

/** Variables of whoever runs the bench that would change what is measured. */
const PRIVATE_VARIABLE = /^(RUNLEDGER_|CI$|GITHUB_|GITLAB_|GIT_|VITEST|JEST_|NODE_OPTIONS$|NODE_ENV$)/

/**
 * Runs a command of Node to its end. Returns seconds of wall time and of CPU time (user and system, children included),
 * the peak memory of its main process and what its heap holds in the end, in bytes, its exit code, when it ended (milliseconds since the Unix epoch), and what it
 * printed.
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string | undefined>, node?: string }} options
 */
export async function measure(args, { cwd, env = {}, node = process.execPath }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-measure-'))
  const at = (name) => path.join(folder, name)
  const inherited = Object.entries(process.env).filter(([name]) => !PRIVATE_VARIABLE.test(name))
  const child = spawn('bash', ['-c', TIMED, 'bash', node, ...args], {
    cwd,
    stdio: 'ignore',
    env: {
      ...Object.fromEntries(inherited),
      ...env,
      NODE_OPTIONS: `--require ${JSON.stringify(PEAK_MEMORY)}`,
      BENCH_OUTPUT: at('output'),
      BENCH_TIMES: at('times'),
      BENCH_PEAK_FILE: at('peak'),
    },
  })
  const exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const endedAtMs = Date.now()
  const output = await readFile(at('output'), 'utf8')
  const [wallSeconds, userSeconds, systemSeconds] = (await readFile(at('times'), 'utf8'))
    .trim()
    .split(' ')
    .map(Number)
  const memory = JSON.parse(await readFile(at('peak'), 'utf8').catch(() => '{}'))
  await rm(folder, { recursive: true, force: true })
  return { wallSeconds, cpuSeconds: userSeconds + systemSeconds, ...memory, exitCode, output, endedAtMs }
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
