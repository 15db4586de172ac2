import { getBuiltIn, hasListener, type RunStep } from '@runledger/core/test-side'
import { readCaller, type Location } from './read-caller'

/** The part of Playwright's `TestInfo` that we use, the same since 1.40. */
export interface RunningTest {
  attachments: { push: (attachment: NativeAttachment) => unknown }
  outputPath: (...names: string[]) => string
  config: { reporter: readonly (readonly [name: string, ...rest: unknown[]])[] }
}

interface NativeAttachment {
  name: string
  contentType: string
  body?: Buffer
  path?: string
}

/** Playwright's `test`, as far as we call it. */
export interface Runner {
  findTest: () => RunningTest | undefined
  step: RunStep
}

interface PlaywrightTest {
  info: () => RunningTest
  step: <Result>(
    name: string,
    body: () => Result | Promise<Result>,
    options?: { location: Location },
  ) => Promise<Result>
}
interface Modules {
  createRequire: (from: string) => (id: string) => { test: PlaywrightTest }
}

let runner: Runner | undefined
let isSought = false

/**
 * The runner whose worker this is: found from the worker's own script, so that it is the very copy which runs the tests.
 * Undefined in any other process.
 */
export function findRunner(): Runner | undefined {
  if (!isSought) {
    isSought = true
    runner = seek()
  }
  return runner
}

function seek(): Runner | undefined {
  const nodeProcess = getBuiltIn<NodeJS.Process>('node:process')
  const script = nodeProcess?.argv[1]
  // Playwright sets it in its workers alone.
  if (script === undefined || nodeProcess?.env['TEST_WORKER_INDEX'] === undefined) return undefined
  try {
    const { createRequire } = getBuiltIn<Modules>('node:module') as Modules
    const { test } = createRequire(script)('playwright/test')
    return {
      findTest: () => findTest(test),
      // Else Playwright's reports would show our code in the step's place; versions before 1.48 do.
      step: (name, body, stack) => {
        const location = readCaller(stack)
        return test.step(name, body, location && { location })
      },
    }
  } catch {
    return undefined
  }
}

/** `test.info()` throws where no test runs. */
function findTest(test: PlaywrightTest): RunningTest | undefined {
  try {
    const info = test.info()
    return isListenedTo(info) ? info : undefined
  } catch {
    return undefined
  }
}

/** Our reporter listens, or may do so later: blobs are merged with it. */
function isListenedTo({ config }: RunningTest): boolean {
  return hasListener() || config.reporter.some(([name]) => name === 'blob')
}
