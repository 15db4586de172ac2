import { getBuiltIn } from './built-in'

interface Storage {
  getStore(): readonly string[] | undefined
  run<Result>(path: readonly string[], body: () => Result): Result
}
interface AsyncHooks {
  AsyncLocalStorage: new () => Storage
}

let storage: Storage | undefined

/** Names of the steps that the caller runs in, outermost first. */
export function currentSteps(): readonly string[] {
  return storage?.getStore() ?? []
}

/** Runs a body as one step more; what it starts stays in that step, whatever runs beside it. */
export function runInStep<Result>(name: string, body: () => Result): Result {
  storage ??= createStorage()
  return storage.run([...currentSteps(), name], body)
}

function createStorage(): Storage {
  const hooks = getBuiltIn<AsyncHooks>('node:async_hooks')
  return hooks === undefined ? new LastStep() : new hooks.AsyncLocalStorage()
}

/** In a browser: right for steps that follow each other. */
class LastStep implements Storage {
  #path: readonly string[] | undefined

  getStore(): readonly string[] | undefined {
    return this.#path
  }

  run<Result>(path: readonly string[], body: () => Result): Result {
    const before = this.#path
    this.#path = path
    const leave = (): void => {
      this.#path = before
    }
    let result: Result | undefined
    try {
      result = body()
      return result
    } finally {
      if (result instanceof Promise) result.then(leave, leave)
      else leave()
    }
  }
}
