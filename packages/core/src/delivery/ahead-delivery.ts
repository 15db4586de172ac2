import type { DeliverableRun } from './deliverable-run'
import type { ExecutionDeliverySettings } from './deliver-execution'
import { findRefusal } from './failure-kind'
import type { Delivery } from './open-delivery'
import type { RunDelivery } from './run-delivery'

/** What came of a run that was begun. */
interface Begun {
  run: DeliverableRun
  result: RunDelivery
  /** It had come to that before the end. */
  wasOver: boolean
}

/**
 * Sends runs when the last test has ended, while the framework waits for its workers to exit: the end has that much less
 * to wait for. Only runs that lie whole on the disk and change no more; nothing is told, nothing keeps the process
 * alive, and what it has not begun is left to the delivery itself.
 */
export class AheadDelivery {
  readonly #begun = new Map<string, Promise<Begun>>()
  #delivery: Delivery | undefined
  #isOver = false

  constructor(private readonly settings: Omit<ExecutionDeliverySettings, 'ahead'>) {
    // What goes wrong shows again at the end, and is told then.
    this.#begin().catch(() => undefined)
  }

  /** Begins nothing more; what was begun goes on. */
  end(): void {
    this.#isOver = true
  }

  /**
   * What becomes of a run that was begun; undefined for others. Where a framework has taken its time to end, what failed
   * meanwhile is given to the delivery of the end, which has a deadline of its own. Never rejects.
   */
  find({ submissionId }: DeliverableRun, delivery: Delivery): Promise<RunDelivery> | undefined {
    return this.#begun.get(submissionId)?.then(({ run, result, wasOver }) => {
      const isCut = wasOver || this.#delivery?.signal.aborted === true
      return isCut && isWorthMore(result) ? delivery.deliver({ ...run, hasWaited: true }) : result
    })
  }

  /** The connection that it has, if it has begun any run. */
  get delivery(): Delivery | undefined {
    return this.#delivery
  }

  async close(): Promise<void> {
    this.end()
    await Promise.all(this.#begun.values())
    await this.#delivery?.close()
  }

  async #begin(): Promise<void> {
    const { keeper, early, options } = this.settings
    const { openDelivery } = await import('./deliver-execution')
    const delivery = await openDelivery({
      ...this.settings,
      deadlineAtMs: Date.now() + options.deadlineMs,
      transferTimeoutMs: options.deadlineMs,
      limit: early.limit,
      isBackground: true,
    })
    const runs = this.#isOver ? [] : await keeper.giveOut()
    if (this.#isOver || runs.length === 0) return delivery.close()
    this.#delivery = delivery
    for (const run of runs) this.#begun.set(run.submissionId, this.#deliver(run, delivery))
  }

  async #deliver(run: DeliverableRun, delivery: Delivery): Promise<Begun> {
    const result = await delivery.deliver(run)
    return { run, result, wasOver: !this.#isOver }
  }
}

/** False where the service has all of it, or has refused it for good. */
function isWorthMore(result: RunDelivery): boolean {
  return result.status === 'failed' ? findRefusal(result.error) === undefined : !result.isComplete
}
