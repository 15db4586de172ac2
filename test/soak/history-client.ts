import { type HistoryModel, type ModelRun } from '../../packages/server/src/testing/history-model'
import type { Random } from '../support/random'
import { minimalRun } from '../../packages/server/src/testing/start-test-server'
import { type Address, send } from './service-load'

/** Something that was sent, and is sent again until it is answered. */
type Change = (address: Address) => Promise<void>

/** Creates, deletes, moves and renames at random, and remembers in its model what that came to. */
export class HistoryClient {
  readonly #random: Random
  readonly #name: string
  #unanswered: Change | undefined
  #created = 0

  constructor(
    readonly model: HistoryModel,
    { name, random }: { name: string; random: Random },
  ) {
    this.#name = name
    this.#random = random
  }

  /** One change after another until the service is gone or `isOver` holds; the first is the one that it did not answer. */
  async run(address: Address, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      this.#unanswered ??= this.#draw()
      await this.#unanswered(address)
      this.#unanswered = undefined
    }
  }

  /** Sends again what was not answered. */
  async settle(address: Address): Promise<void> {
    await this.#unanswered?.(address)
    this.#unanswered = undefined
  }

  #draw(): Change {
    const { runs } = this.model
    const chance = this.#random.next()
    if (chance < 0.6 || runs.length === 0) return this.#create()
    const run = this.model.pick(runs)
    if (chance < 0.78) return this.#delete(run)
    if (chance < 0.9) return this.#move(run)
    return this.#rename()
  }

  #create(): Change {
    const { run, request } = this.model.draw()
    const key = `${this.#name}-${(this.#created += 1)}`
    return async (address) => {
      const body = { ...minimalRun(address.procedureId), ...request }
      const headers = { 'idempotency-key': key }
      const answer = await send(address, 'POST /v1/runs', { body, headers })
      this.model.runs.push({ ...run, id: (answer as { id: string }).id })
    }
  }

  #delete(run: ModelRun): Change {
    return async (address) => {
      await send(address, `DELETE /v2/runs?ids=${run.id}`, { accepts: [200, 404] })
      this.model.keep((one) => one !== run)
    }
  }

  #move(run: ModelRun): Change {
    const branch = this.model.pickBranch()
    return async (address) => {
      const body = { metadata: { git_branch: branch || null } }
      // Retention may have deleted it before that was answered.
      await send(address, `PATCH /v2/runs/${run.id}/metadata`, { body, accepts: [200, 404] })
      run.branch = branch
    }
  }

  /** Makes one test an earlier name of another, or a name a test of its own again. The service says which are one. */
  #rename(): Change {
    const [one, other] = [this.#random.next(), this.#random.next()]
    return async (address) => {
      const { data } = (await send(address, 'GET /v2/tests?days=60&limit=100')) as { data: { id: string }[] }
      const [test, earlier] = [one, other].map((place) => data[Math.floor(place * data.length)]?.id)
      if (test === undefined || earlier === undefined) return
      const { aliases } = (await send(address, `GET /v2/tests/${test}`, { accepts: [200, 404] })) as {
        aliases?: { id: string }[]
      }
      // Others may have deleted or merged them meanwhile.
      const accepts = [200, 404, 409]
      const [name] = aliases ?? []
      if (name) await send(address, `DELETE /v2/tests/${test}/aliases/${name.id}`, { accepts })
      else await send(address, `POST /v2/tests/${test}/aliases`, { body: { test_id: earlier }, accepts })
    }
  }
}
