import { getBuiltIn } from './built-in'

interface Modules {
  createRequire: (from: string) => (id: string) => { RunledgerReporter: new (...args: never[]) => object }
}

/**
 * A constructor that loads the reporter beside its caller when it is called: test files load a package's entry too, each
 * of them anew, and need only the functions.
 */
export function createLazyReporter<Reporter>(importMetaUrl: string): Reporter {
  function RunledgerReporter(...args: never[]): object {
    const { createRequire } = getBuiltIn<Modules>('node:module') as Modules
    return new (createRequire(importMetaUrl)('./reporter.cjs').RunledgerReporter)(...args)
  }
  return RunledgerReporter as Reporter
}
