import type { TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test is skipped. */
    skipReason?: string
  }
}

/** Options of a test that is skipped, for a reason, unless a condition holds. */
export function onlyIf(condition: boolean, skipReason: string): TestOptions {
  return condition ? {} : { skip: true, meta: { skipReason } }
}
