import type { Options as CoreOptions } from '@runledger/core'
import type { Options } from './options'

/** What Playwright adds to a reporter's own options; which of them depends on its version. */
export interface FrameworkOptions {
  configDir?: string
  /** `test`, `list` or `merge`; 1.40 does not give it. */
  _mode?: string
  /** True in UI mode and under an editor; gone again in later versions. */
  _isTestServer?: boolean
}

/** What an instance of the reporter is there for. Only `record` and `merge` put anything on record. */
export type Purpose = 'record' | 'merge' | 'nothing'

const EDITOR_COMMANDS = ['test-server', 'list-files']
const EDITOR_FLAG = /^--ui(-host|-port)?(=|$)/
const FOREIGN_OPTIONS = ['configDir', 'onlyFailures', 'stepDepth']

/**
 * Tells real executions and merged reports from `--list`, UI mode and editors, which call reporters all the same.
 * Versions differ in the options that they pass, so the command line decides where those are silent.
 */
export function derivePurpose(options: FrameworkOptions, argv: readonly string[]): Purpose {
  const args = argv.slice(2)
  if (
    options._isTestServer ||
    EDITOR_COMMANDS.includes(args[0] ?? '') ||
    args.some((arg) => EDITOR_FLAG.test(arg))
  ) {
    return 'nothing'
  }
  if (options._mode === 'list' || (options._mode === undefined && args.includes('--list'))) return 'nothing'
  if (options._mode === 'merge' || (options._mode === undefined && args[0] === 'merge-reports'))
    return 'merge'
  return 'record'
}

/** The user's options for core: what Playwright added is dropped, and what only this reporter reads. */
export function dropFrameworkOptions(options: Options & FrameworkOptions): CoreOptions {
  const own = Object.entries(options).filter(
    ([name]) => !name.startsWith('_') && !FOREIGN_OPTIONS.includes(name),
  )
  return Object.fromEntries(own)
}
