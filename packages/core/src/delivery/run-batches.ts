import { type CreateRunResponse, MAX_BATCH_RUNS } from '@runledger/protocol'
import type { ServiceClient } from '../api/service-client'
import { ApiError } from '../model/errors'
import { isWorthRetrying } from '../transport/retrying-transport'

/** Limit of one request: a service may refuse longer ones. A single run may exceed it. */
const MAX_BATCH_CHARACTERS = 1024 * 1024

interface Waiting {
  makeBody: () => string
  key: string
  resolve: (response: CreateRunResponse) => void
  reject: (error: unknown) => void
}

/** Sends creations of the same tick as one request. After a service refuses such a request, each run has its own. */
export class RunBatches {
  #waiting: Waiting[] = []
  #isRefused = false

  constructor(private readonly client: ServiceClient) {}

  isFor(client: ServiceClient): boolean {
    return client === this.client && !this.#isRefused
  }

  /** Same contract as `ServiceClient.createRun`. */
  create(makeBody: () => string, key: string): Promise<CreateRunResponse> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#sendAll())
      this.#waiting.push({ makeBody, key, resolve, reject })
    })
  }

  #sendAll(): void {
    const all = this.#waiting
    this.#waiting = []
    for (let from = 0; from < all.length; from += MAX_BATCH_RUNS)
      void this.#send(all.slice(from, from + MAX_BATCH_RUNS))
  }

  async #send(some: Waiting[]): Promise<void> {
    try {
      const results = await this.client.createRuns(() => {
        const bodies = takeBodies(some)
        const rest = some.splice(bodies.length)
        if (rest.length > 0) void this.#send(rest)
        return bodies
      })
      for (const [index, { resolve, reject }] of some.entries()) {
        const result = results[index] as CreateRunResponse | ApiError
        if (result instanceof ApiError) reject(result)
        else resolve(result)
      }
    } catch (error) {
      this.#isRefused ||= isRefusal(error)
      for (const { makeBody, key, resolve, reject } of some) {
        if (isRefusal(error)) this.client.createRun(makeBody, key).then(resolve, reject)
        else reject(error)
      }
    }
  }
}

/** Takes bodies from the front of the queue until the request is full. */
function takeBodies(some: readonly Waiting[]): { key: string; body: string }[] {
  const taken: { key: string; body: string }[] = []
  let characters = 0
  for (const { makeBody, key } of some) {
    const body = makeBody()
    characters += body.length
    if (taken.length > 0 && characters > MAX_BATCH_CHARACTERS) break
    taken.push({ key, body })
  }
  return taken
}

/** True if the service does not know the request, so a retry cannot help. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && !isWorthRetrying(error.statusCode)
}
