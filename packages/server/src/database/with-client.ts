import { AsyncLocalStorage } from 'node:async_hooks'

const clients = new AsyncLocalStorage<AbortSignal>()

/** Runs `work` for a client; what it reads from the database is stopped when `signal` says that the client has gone. */
export function withClient<Result>(signal: AbortSignal, work: () => Result): Result {
  return clients.run(signal, work)
}

export function clientSignal(): AbortSignal | undefined {
  return clients.getStore()
}
