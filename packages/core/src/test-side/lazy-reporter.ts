import { getBuiltIn } from './built-in'

interface Modules {
  createRequire: (from: string) => (id: string) => { RunledgerReporter: new (...args: unknown[]) => object }
}

/**
 * A constructor that loads the reporter beside its caller when it is called: test files load a package's entry too, each
 * of them anew, and need only the functions. Classes may extend it, as they could the reporter itself.
 */
export function createLazyReporter<Reporter>(importMetaUrl: string): Reporter {
  function RunledgerReporter(...args: unknown[]): object {
    const { createRequire } = getBuiltIn<Modules>('node:module') as Modules
    const { RunledgerReporter: Loaded } = createRequire(importMetaUrl)('./reporter.cjs')
    Object.setPrototypeOf(RunledgerReporter.prototype, Loaded.prototype as object)
    return Reflect.construct(Loaded, args, new.target ?? RunledgerReporter) as object
  }
  return RunledgerReporter as Reporter
}
