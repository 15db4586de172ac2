import { releaseRuns } from '../spool/release-runs'
import type { ExecutionDeliverySettings } from './deliver-execution'
import { leaveRuns, type ExecutionDelivery } from './execution-delivery'

/** Does what need not wait until runs can be delivered. What goes wrong shows again then. */
export async function prepareDelivery({ keeper }: Pick<ExecutionDeliverySettings, 'keeper'>): Promise<void> {
  await Promise.allSettled([keeper.sync(), import('./deliver-execution')])
}

/**
 * Delivers an execution's runs. What does that is loaded only now: until tests end the process needs none of it. Where it
 * cannot be loaded any more (packages that changed while tests ran), the runs wait in the spool.
 */
export async function deliverOrLeave(settings: ExecutionDeliverySettings): Promise<ExecutionDelivery> {
  let deliverExecution
  try {
    ;({ deliverExecution } = await import('./deliver-execution'))
  } catch (error) {
    return leaveAll(settings, error)
  }
  return deliverExecution(settings)
}

async function leaveAll(
  { keeper, early, spool, options }: ExecutionDeliverySettings,
  error: unknown,
): Promise<ExecutionDelivery> {
  const { runs, refused } = await keeper.close(options.deadlineMs / 2)
  await early.stop()
  const left = leaveRuns(runs, error)
  await releaseRuns(runs, spool)
  return { ...left, deliveries: [...left.deliveries, ...refused] }
}
