import type { CreateRunAnswer } from '@runledger/protocol'

/**
 * What became of a run: on record with its address, perhaps without some attachments (`isComplete` is false while some
 * of it waits), or not on record.
 */
export type RunDelivery = DeliveredRun | RefusedRun

export interface DeliveredRun {
  status: 'delivered'
  passed: boolean
  answer: CreateRunAnswer
  problems: string[]
  isComplete: boolean
}

/** A run that is not on record: the service did not take it, or an option that is a function could not be worked out. */
export interface RefusedRun {
  status: 'failed'
  passed: boolean
  error: unknown
}
