import type { Options as CoreOptions } from '@runledger/core'

/** Every option of Runledger, and what only Playwright Test has. */
export interface Options extends CoreOptions {
  /**
   * How deep `test.step` goes on record: 1 makes each outermost one a step of the run, `<test> › <step>`, 2 those in it
   * too, and so on. `step` of this package is always on record.
   * @default 0
   */
  stepDepth?: number
}

/** @throws Error for what is no depth */
export function readStepDepth({ stepDepth = 0 }: Options): number {
  if (Number.isInteger(stepDepth) && stepDepth >= 0) return stepDepth
  throw new Error(`option stepDepth cannot be ${JSON.stringify(stepDepth)}: use a whole number, 0 or more`)
}
