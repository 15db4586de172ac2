import type { Options as CoreOptions } from '@runledger/core'

/** Options of every reporter, and those of Playwright Test alone. */
export interface Options extends CoreOptions {
  /**
   * How many levels of `test.step` go on record, of every test: 0 none, 1 makes each outermost one a step of the run,
   * `<test> › <step>`, 2 also those inside it, and so on. `step` of this package is always on record.
   * @default three levels of all steps of Playwright's, hooks and fixtures too, of tests that failed or were flaky
   */
  stepDepth?: number
  /**
   * With `--shard`, the service plans the files of each shard, so that all shards take about the same time. Needs Playwright 1.62.
   * @default false
   */
  planShards?: boolean
}

/** Playwright adds these to a reporter's options; versions differ in which. */
export interface FrameworkOptions {
  configDir?: string
  /** `test`, `list` or `merge`; 1.40 does not pass it. */
  _mode?: string
  /** True in UI mode and in editors; later versions do not pass it. */
  _isTestServer?: boolean
}

/** Only `record` and `merge` record anything. */
export type Purpose = 'record' | 'merge' | 'nothing'

const EDITOR_COMMANDS = ['test-server', 'list-files']
const EDITOR_FLAG = /^--ui(-host|-port)?(=|$)/
const NOT_FOR_CORE = ['configDir', 'onlyFailures', 'planShards', 'stepDepth']

/** Separates executions and merged reports from `--list`, UI mode and editors; without the option, the command line decides. */
export function derivePurpose(options: FrameworkOptions, argv: readonly string[]): Purpose {
  const args = argv.slice(2)
  const isEditor =
    EDITOR_COMMANDS.some((command) => command === args[0]) || args.some((arg) => EDITOR_FLAG.test(arg))
  if (options._isTestServer || isEditor) return 'nothing'
  const { _mode: mode } = options
  if (mode === 'list' || (mode === undefined && args.includes('--list'))) return 'nothing'
  if (mode === 'merge' || (mode === undefined && args[0] === 'merge-reports')) return 'merge'
  return 'record'
}

/** Without options of Playwright and of this reporter. */
export function selectCoreOptions(options: Options & FrameworkOptions): CoreOptions {
  const own = Object.entries(options).filter(
    ([name]) => !name.startsWith('_') && !NOT_FOR_CORE.includes(name),
  )
  return Object.fromEntries(own)
}

/** An invalid depth is reported and ignored. */
export function resolveStepDepth(
  { stepDepth }: Options,
  warn: (message: string) => void,
): number | undefined {
  if (stepDepth === undefined || (Number.isInteger(stepDepth) && stepDepth >= 0)) return stepDepth
  warn(`option stepDepth cannot be ${JSON.stringify(stepDepth)}: use a whole number, 0 or more`)
  return undefined
}
