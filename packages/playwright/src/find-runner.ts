import { listSourceLocations, type FrameLocation } from '@runledger/reporter-kit'
import { getBuiltIn, type RunStep } from '@runledger/reporter-kit/test-side'
import { hasListener } from './channel'

/** The part of `TestInfo` that we use, the same since 1.40. */
export interface RunningTest {
  attachments: { push: (attachment: NativeAttachment) => unknown }
  outputPath: (...names: string[]) => string
  config: { reporter: readonly (readonly [name: string, ...rest: unknown[]])[] }
  status?: string
  errors: { message: string; stack?: string | undefined }[]
}

interface NativeAttachment {
  name: string
  contentType: string
  body?: Buffer
  path?: string
}

/** The part of `test` that we call. */
export interface Runner {
  findTest: () => RunningTest | undefined
  /** The running test, if our reporter listens. */
  findHeardTest: () => RunningTest | undefined
  step: RunStep
}

interface PlaywrightTest {
  info: () => RunningTest
  step: <Result>(
    name: string,
    body: () => Result | Promise<Result>,
    options?: { location: FrameLocation },
  ) => Promise<Result>
}
interface NodeModule {
  createRequire: (from: string) => (id: string) => { test: PlaywrightTest }
}

let runner: Runner | undefined
let isSearched = false

/** The copy of Playwright that runs the tests, resolved from the worker's script. Undefined in other processes. */
export function findRunner(): Runner | undefined {
  if (!isSearched) {
    isSearched = true
    runner = searchRunner()
  }
  return runner
}

function searchRunner(): Runner | undefined {
  const nodeProcess = getBuiltIn<NodeJS.Process>('node:process')
  const script = nodeProcess?.argv[1]
  // Playwright sets the variable only in its workers.
  if (script === undefined || nodeProcess?.env['TEST_WORKER_INDEX'] === undefined) return undefined
  try {
    const { createRequire } = getBuiltIn<NodeModule>('node:module') as NodeModule
    const { test } = createRequire(script)('playwright/test')
    return {
      findTest: () => findTest(test),
      findHeardTest: () => {
        const info = findTest(test)
        return info && hasReporter(info) ? info : undefined
      },
      // Without a location, Playwright's reports would point at our code. Versions before 1.48 ignore it.
      step: (name, body, stack = '') => {
        const [location] = listSourceLocations(stack)
        return test.step(name, body, location && { location })
      },
    }
  } catch {
    return undefined
  }
}

/** `test.info()` throws without a running test. */
function findTest(test: PlaywrightTest): RunningTest | undefined {
  try {
    return test.info()
  } catch {
    return undefined
  }
}

/** Our reporter listens now, or will when it merges blobs. */
function hasReporter({ config }: RunningTest): boolean {
  return hasListener() || config.reporter.some(([name]) => name === 'blob')
}
