import type { ExpectedRun, Observation, Scenario } from './behaviour'
import type { Dialect } from './dialect'

/** A project of one test file, `a.test.js`, and the one run that it leaves. */
export interface OneFile extends Pick<ExpectedRun, 'unordered' | 'variables' | 'log' | 'attachments'> {
  /** The file without the dialect's first line. */
  body: string
  /** Every step of the run; the run and the command fail when one of them does. No steps: no run. */
  steps: ExpectedRun['steps']
  /** More options of the config, as source text. */
  options?: string
  args?: string[]
  check?: (outcome: Observation) => Promise<void> | void
}

export function oneFile(dialect: Dialect, { body, options, args, check, ...run }: OneFile): Scenario {
  const hasFailed = run.steps.some(([, verdict]) => verdict === 'FAIL')
  const expected: ExpectedRun = { file: 'a.test.js', outcome: hasFailed ? 'FAIL' : 'PASS', ...run }
  return {
    files: { ...dialect.config(options), 'a.test.js': dialect.head + body },
    ...(args && { args }),
    exitCode: hasFailed ? 1 : 0,
    runs: run.steps.length === 0 ? [] : [expected],
    ...(check && { check }),
  }
}
