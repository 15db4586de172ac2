import { appendFileSync } from 'node:fs'
import path from 'node:path'
import {
  createFolderSink,
  createTestApi,
  createUniqueId,
  getBuiltIn,
  InvalidArgumentError,
  readChannelFolder,
  type EventSink,
  type TestApi,
} from '@runledger/reporter-kit/test-side'
import { formatDiagnostic, idOfFile } from './channel'

/** The part of `TestContext` that we use, the same since Node 20. A suite's has none of these functions. */
interface TestContext {
  after: (hook: () => void) => void
  diagnostic: (message: string) => void
  signal?: AbortSignal
}

/** Since Node 24. */
interface NodeTest {
  getTestContext?: () => unknown
}

const errorName = 'AssertionError'

const api = createApi(findContext)

// Typed as members of `TestApi`, because inferred types would lose the documentation.
export const attach: TestApi['attach'] = api.attach
export const log: TestApi['log'] = api.log
export const measure: TestApi['measure'] = api.measure
export const measureAll: TestApi['measureAll'] = api.measureAll
export const step: TestApi['step'] = api.step
export const subUnit: TestApi['subUnit'] = api.subUnit
export const unitUnderTest: TestApi['unitUnderTest'] = api.unitUnderTest
export const variable: TestApi['variable'] = api.variable

/** Before Node 24, calls without this belong to the file. @throws TypeError for anything but a test's context */
export function withTest(context: unknown): TestApi {
  if (isTestContext(context)) return createApi(() => context)
  const fix = 'give what the test function was called with'
  throw new InvalidArgumentError('withTest', { field: 'context', value: context, fix })
}

function createApi(find: () => TestContext | undefined): TestApi {
  return createTestApi({
    findSink: () => {
      const folder = readChannelFolder()
      return folder === undefined ? undefined : createSink(folder, find())
    },
    errorName,
    failAtEnd: (error) => failAtEnd(find(), error),
  })
}

function findContext(): TestContext | undefined {
  const context = getBuiltIn<NodeTest>('node:test')?.getTestContext?.()
  return isTestContext(context) ? context : undefined
}

function isTestContext(value: unknown): value is TestContext {
  const { after, diagnostic } = (value ?? {}) as Partial<TestContext>
  return typeof after === 'function' && typeof diagnostic === 'function'
}

function createSink(folder: string, context: TestContext | undefined): EventSink {
  return createFolderSink(folder, (event) => {
    const file = path.join(folder, `${identify(context)}.jsonl`)
    appendFileSync(file, `${JSON.stringify(event)}\n`, { mode: 0o600 })
  })
}

const ids = new WeakMap<TestContext, string>()

/** Node reports a test's diagnostic right after the test. */
function identify(context: TestContext | undefined): string {
  if (context === undefined) return idOfFile(process.argv[1] ?? '')
  const known = ids.get(context)
  if (known !== undefined) return known
  const id = createUniqueId()
  ids.set(context, id)
  context.diagnostic(formatDiagnostic(id))
  return id
}

const failures = new WeakMap<TestContext, Error[]>()

/** A later hook throws the collected errors. False outside of tests and after the test's end. */
function failAtEnd(context: TestContext | undefined, error: Error): boolean {
  if (context === undefined || context.signal?.aborted) return false
  const known = failures.get(context)
  if (known !== undefined) return known.push(error) > 0
  const errors = [error]
  failures.set(context, errors)
  context.after(() => {
    throw joinErrors(errors)
  })
  return true
}

/** Node takes one error: it names all of them, at the place of the first. */
function joinErrors(errors: readonly Error[]): Error | undefined {
  const [first, ...others] = errors
  if (first === undefined || others.length === 0) return first
  const message = errors.map((each) => each.message).join('\n\n')
  if (first.stack !== undefined) first.stack = first.stack.replace(first.message, () => message)
  first.message = message
  return first
}
