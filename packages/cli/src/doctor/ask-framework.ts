import { messageOf } from '@runledger/core/tools'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RunNode } from '../run-node'
import { explainForeign, findBin } from './installed-program'
import type { ReportingFramework } from '../test-calls/programs'
import { describeComputed, type TestCall } from '../test-calls/test-call'

/** A reporter that a framework would use: by its name or path, or by the class of an instance. */
export interface UsedReporter {
  name: string
  /** Without functions. */
  options: Record<string, unknown>
}

/** The reporters that a framework would use for a call, or the reason why it could not be asked. */
export type Answer = { reporters: readonly UsedReporter[] } | { reason: string }

interface Question {
  args: readonly string[]
  env?: Record<string, string>
  /** A file that is written for the question; `args` and `env` name it as `{probe}`. */
  probe?: string
  read: (stdout: string) => unknown
}

const TIMEOUT_MS = 5_000
const MARK = 'RUNLEDGER_ANSWER '
const PROBE = '{probe}'

/** Asks the framework itself, with the arguments and variables of the call. No test is run, and no code of another user. */
export async function askFramework(
  call: TestCall,
  { runNode, env, root }: { runNode: RunNode; env: Record<string, string | undefined>; root: string },
): Promise<Answer> {
  const reason = findObstacle(call, root, env)
  if (reason !== undefined) return { reason }
  const { probe, ...question } = QUESTIONS[call.program.framework](call)
  const folder = probe === undefined ? '' : await mkdtemp(path.join(tmpdir(), 'runledger-probe-'))
  const file = path.join(folder, 'probe.cjs')
  try {
    if (probe !== undefined) await writeFile(file, probe)
    const output = await runNode([...call.nodeArgs, ...question.args], {
      cwd: call.dir,
      env: { ...env, ...call.env, ...replaceProbe(question.env, file) },
      timeoutMs: TIMEOUT_MS,
    })
    if (output.isLate) return { reason: `it was not read within ${TIMEOUT_MS / 1000} s` }
    const reporters = toReporters(question.read(output.stdout))
    return reporters ? { reporters } : { reason: firstLine(output.stderr) ?? 'it said nothing' }
  } catch (error) {
    return { reason: messageOf(error) }
  } finally {
    if (folder !== '') await rm(folder, { recursive: true, force: true })
  }
}

/** Why a framework is not asked. */
function findObstacle(
  call: TestCall,
  root: string,
  env: Record<string, string | undefined>,
): string | undefined {
  const flag = findSideEffect(call)
  if (flag !== undefined) return `it starts Node with ${flag}`
  try {
    return describeComputed(call) ?? explainForeign(call, root, env)
  } catch (error) {
    return messageOf(error)
  }
}

/** A flag that opens a debugger's port, never ends, or writes files. */
function findSideEffect({ nodeArgs, env }: TestCall): string | undefined {
  const flags = [...nodeArgs, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)]
  return flags.find((flag) => /^--(?:inspect|watch|cpu-prof|heap-prof|prof\b|heapsnapshot)/.test(flag))
}

const QUESTIONS: Record<ReportingFramework, (call: TestCall) => Question> = {
  Jest: (call) => ({
    // First: after `--` it would be the name of a test file.
    args: [findBin(call), ...listHead(call), '--showConfig', ...listArgs(call)],
    env: { CI: 'true' },
    read: readShownConfig,
  }),
  Vitest: (call) => ({
    args: ['--input-type=module', '--eval', VITEST_PROBE, '--', JSON.stringify(listArgs(call))],
    read: readMarked,
  }),
  Playwright: (call) => ({
    args: [findBin(call), 'test', '--list', ...listArgs(call)],
    env: { PW_TEST_REPORTER: PROBE },
    probe: PLAYWRIGHT_PROBE,
    read: readMarked,
  }),
}

const SAY = `const say = (reporters) => process.stdout.write('\\n${MARK}' + JSON.stringify(reporters) + '\\n')`

/** `resolveConfig` returns two configs before Vitest 5, and Vite's alone since. */
const VITEST_PROBE = `import { parseCLI, resolveConfig } from 'vitest/node'
${SAY}
const { options } = parseCLI(['vitest', ...JSON.parse(process.argv.at(-1))])
const found = await resolveConfig({ ...options, watch: false })
const { reporters } = found.vitestConfig ?? found.test
const isNamed = (each) => typeof each === 'string' || Array.isArray(each)
say(reporters.map((each) => (isNamed(each) ? each : [each.constructor.name, each.options])))
process.exit(0)`

/** Called before any test file is loaded. */
const PLAYWRIGHT_PROBE = `${SAY}
module.exports = class {
  version() { return 'v2' }
  onConfigure({ reporter }) { say(reporter); process.exit(0) }
}`

function listArgs({ args }: TestCall): string[] {
  return args.map(({ text }) => text)
}

function listHead({ program: { isWrapper, command } }: TestCall): string[] {
  return isWrapper && command !== undefined ? [command] : []
}

function replaceProbe(env: Question['env'], file: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env ?? {}).map(([name, value]) => [name, value === PROBE ? file : value]),
  )
}

/** A config may print something of its own before. */
function readShownConfig(stdout: string): unknown {
  const { globalConfig } = JSON.parse(stdout.slice(stdout.search(/^\{$/m))) as {
    globalConfig: { reporters?: unknown }
  }
  return globalConfig.reporters ?? ['default']
}

function readMarked(stdout: string): unknown {
  const line = stdout.split('\n').find((each) => each.startsWith(MARK))
  return line === undefined ? undefined : JSON.parse(line.slice(MARK.length))
}

function toReporters(given: unknown): UsedReporter[] | undefined {
  if (!Array.isArray(given)) return undefined
  return (given as unknown[]).map((each) => {
    const [name, options] = Array.isArray(each) ? (each as unknown[]) : [each]
    const isRecord = typeof options === 'object' && options !== null
    return { name: String(name), options: isRecord ? (options as Record<string, unknown>) : {} }
  })
}

function firstLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /error|cannot|failed/i.test(line))
}
