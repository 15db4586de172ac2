interface GlobalScope {
  process?: { getBuiltinModule?: (id: string) => unknown }
  Buffer?: typeof Buffer
}

const scope = globalThis as GlobalScope

/** A module of Node without an import, which would fail in a browser; undefined there. */
export function getBuiltIn<Module>(id: string): Module | undefined {
  return scope.process?.getBuiltinModule?.(id) as Module | undefined
}

/** Jest's jsdom has no `TextEncoder`, a browser no `Buffer`. */
export function toBytes(text: string): Uint8Array {
  return scope.Buffer === undefined ? new TextEncoder().encode(text) : scope.Buffer.from(text, 'utf8')
}

const NATIVE_CODE = /\[native code\]/

/**
 * A clock that tests cannot mock, in milliseconds since the Unix epoch. Reads `Date` once; if that is mocked, the `Date`
 * of a new context.
 */
export function createClock(): () => number {
  const count = createCounter()
  const offsetMs = readDate() - count()
  return () => offsetMs + count()
}

/** Jest's fake timers mock `hrtime` of the test's `process`, not of Node's. */
function createCounter(): () => number {
  const hrtime = getBuiltIn<NodeJS.Process>('node:process')?.hrtime
  if (hrtime === undefined) return performance.now.bind(performance)
  return () => {
    const [seconds, nanoseconds] = hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  }
}

function readDate(): number {
  if (NATIVE_CODE.test(Function.prototype.toString.call(Date.now))) return Date.now()
  const vm = getBuiltIn<{ runInNewContext: (code: string) => unknown }>('node:vm')
  return vm === undefined ? Date.now() : Number(vm.runInNewContext('Date.now()'))
}

interface NodeModule {
  createRequire: (from: string) => (id: string) => { RunledgerReporter: new (...args: unknown[]) => object }
}

/**
 * Loads `reporter.cjs` from its caller's folder on use, as test files load the entry for the functions alone. Can be extended.
 */
export function createLazyReporter<Reporter>(importMetaUrl: string): Reporter {
  function RunledgerReporter(...args: unknown[]): object {
    const { createRequire } = getBuiltIn<NodeModule>('node:module') as NodeModule
    const { RunledgerReporter: Loaded } = createRequire(importMetaUrl)('./reporter.cjs')
    Object.setPrototypeOf(RunledgerReporter.prototype, Loaded.prototype as object)
    return Reflect.construct(Loaded, args, new.target ?? RunledgerReporter) as object
  }
  return RunledgerReporter as Reporter
}
