import type { StepEvent } from '@runledger/core'
import { checkName, InvalidArgumentError } from './check-arguments'
import { createStamp, elapsedSince, type FindSink } from './event-sink'
import { getBuiltIn } from './runtime'
import type { TestApi } from './test-api-types'

export function createStep(findSink: FindSink): TestApi['step'] {
  const step: TestApi['step'] = async (name, body) => {
    checkName('step', 'name', name)
    if (typeof body !== 'function')
      throw new InvalidArgumentError('step', { field: 'body', value: body, fix: 'give a function' })
    const sink = findSink()
    if (sink === undefined) return body()
    const stamp = createStamp()
    const enclosing = readEnclosingSteps()
    const { runStep } = sink
    const run = (): ReturnType<typeof body> => (runStep ? runStep(name, body, captureStack(step)) : body())
    const end = (passed: boolean): void =>
      sink.record({ kind: 'step', name, ...enclosing, passed, durationMs: elapsedSince(stamp), ...stamp })
    try {
      const result = await runInside(name, run)
      end(true)
      return result
    } catch (error) {
      end(false)
      throw error
    }
  }
  return step
}

function captureStack(called: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {}
  Error.captureStackTrace?.(holder, called)
  return holder.stack
}

interface Storage {
  getStore(): readonly string[] | undefined
  run<Result>(names: readonly string[], body: () => Result): Result
}

let storage: Storage | undefined

export function readEnclosingSteps(): Pick<StepEvent, 'within'> {
  const names = storage?.getStore() ?? []
  return names.length === 0 ? {} : { within: [...names] }
}

/** Runs a body one step deeper, with all that it starts, even if other steps run concurrently. */
function runInside<Result>(name: string, body: () => Result): Result {
  storage ??= createStorage()
  return storage.run([...(storage.getStore() ?? []), name], body)
}

function createStorage(): Storage {
  const hooks = getBuiltIn<{ AsyncLocalStorage: new () => Storage }>('node:async_hooks')
  return hooks === undefined ? new SequentialStorage() : new hooks.AsyncLocalStorage()
}

/** For browsers, which have no `AsyncLocalStorage`: correct only if steps do not overlap. */
class SequentialStorage implements Storage {
  #names: readonly string[] | undefined

  getStore(): readonly string[] | undefined {
    return this.#names
  }

  run<Result>(names: readonly string[], body: () => Result): Result {
    const before = this.#names
    this.#names = names
    const leave = (): void => {
      this.#names = before
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
