interface GlobalScope {
  process?: { getBuiltinModule?: (id: string) => unknown }
  Buffer?: typeof Buffer
}

const scope = globalThis as GlobalScope

/** One of Node's own modules, without an import that would fail in a browser; undefined there. */
export function getBuiltIn<Module>(id: string): Module | undefined {
  return scope.process?.getBuiltinModule?.(id) as Module | undefined
}

/** Encodes as UTF-8. Jest's jsdom has no `TextEncoder`, a browser has no `Buffer`. */
export function toBytes(text: string): Uint8Array {
  return scope.Buffer === undefined ? new TextEncoder().encode(text) : scope.Buffer.from(text, 'utf8')
}

const NATIVE_CODE = /\[native code\]/

/**
 * A clock that tests cannot mock: milliseconds since the Unix epoch, with fractions. Reads `Date` once; where that is
 * mocked already, the `Date` of a new context.
 */
export function createClock(): () => number {
  const count = createCounter()
  const offsetMs = readDate() - count()
  return () => offsetMs + count()
}

/** Counts milliseconds from an arbitrary start. Jest's fake timers mock `hrtime` of the test's `process`, not of Node's. */
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
 * A constructor that loads `reporter.cjs` from the folder of its caller when it is called: test files load the package's
 * entry too and need only the functions. It can be extended like the reporter class itself.
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
