import { isDeepStrictEqual } from 'node:util'
import { messageOf, printWarning } from '@runledger/core/light'

/**
 * Keeps our errors from the framework, where a throwing hook can fail the execution, drop test files or end the process.
 * Prints only the first error, because later ones usually follow from it.
 */
export class HookGuard {
  #hasWarned = false

  constructor(private readonly print: (line: string) => void = printWarning) {}

  /** Whether a hook failed, so that a part of the execution may not be on record. */
  get hasWarned(): boolean {
    return this.#hasWarned
  }

  run(hook: () => void): void {
    try {
      hook()
    } catch (error) {
      this.#report(error)
    }
  }

  async runAsync<Result>(hook: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await hook()
    } catch (error) {
      this.#report(error)
      return undefined
    }
  }

  warn(message: string): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.print(message.split('\n', 1)[0] ?? '')
  }

  /** Only the file's verdict is recorded, because of a defect of ours. */
  warnOfUnmapped(file: string, defect: unknown): void {
    this.warn(`${file}: only the verdict is on record, the tests could not be read: ${messageOf(defect)}`)
  }

  #report(error: unknown): void {
    this.warn(`part of this execution is not on record: ${messageOf(error)}`)
  }
}

const OPTIONS_BY_EXECUTION = new WeakMap<object, unknown[]>()

/** True if another instance with equal options records this execution. Different options make another record. */
export function isDuplicateReporter(execution: object, options: unknown): boolean {
  const known = OPTIONS_BY_EXECUTION.get(execution) ?? []
  if (known.some((other) => isDeepStrictEqual(other, options))) return true
  OPTIONS_BY_EXECUTION.set(execution, [...known, options])
  return false
}
