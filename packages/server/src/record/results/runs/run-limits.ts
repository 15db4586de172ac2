import type { Transaction } from '../../../storage/database/database'
import { HttpError } from '../../../base/errors'
import { countRunsOfMonth } from './insert-store'
import type { Settings } from '../../access/settings/store'

/** Counts runs of a UTC month, deleted ones too (docs/interface.md#settings-that-refuse). @throws HttpError FORBIDDEN */
export async function checkRunLimits(
  transaction: Transaction,
  settings: Settings,
  nowUs: number,
): Promise<void> {
  if (settings['plan.upgrade_required']) {
    throw new HttpError(
      'FORBIDDEN',
      'Plan upgrade required: new runs are refused. Upgrade the plan, then set plan.upgrade_required to false.',
    )
  }
  const limit = settings['limits.runs_per_month']
  if (limit === null || (await countRunsOfMonth(transaction, nowUs)) < limit) return
  throw new HttpError(
    'FORBIDDEN',
    `Monthly limit exceeded: ${limit} runs may be created in a month. Wait for the next month, or raise limits.runs_per_month.`,
  )
}
