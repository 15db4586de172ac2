import type { ExecutionDelivery } from '../delivery/execution-delivery'
import { describeError } from '../model/errors'
import type { DroppedEntry } from '../spool/bound-spool'

/** What the one line says of the spool: older runs that went, and how many runs wait now. */
export function formatWaiting({ swept, keptCount }: ExecutionDelivery): string {
  const count = (status: string): number => swept.filter((entry) => entry.status === status).length
  const sent = count('sent')
  const waiting = keptCount + count('waits')
  return [
    ...(sent > 0 ? [`${sent} older run${sent === 1 ? '' : 's'} sent`] : []),
    ...(waiting > 0
      ? [
          `${waiting} run${waiting === 1 ? ' waits' : 's wait'} in the spool: npx runledger upload sends ${waiting === 1 ? 'it' : 'them'}`,
        ]
      : []),
  ].join('; ')
}

/** A line of its own for whatever is wrong with the spool itself, and for what was dropped. */
export function formatSpoolLines(
  { swept, dropped }: ExecutionDelivery,
  failure: unknown,
  spoolDir: string,
): string[] {
  const setAside = swept.filter(({ status }) => status === 'set-aside')
  return [
    ...(failure === undefined ? [] : [describeSpoolFailure(failure, spoolDir)]),
    ...setAside.map(({ submissionId, reason }) => `spool entry ${submissionId} set aside: ${reason}`),
    ...dropped.map((entry) => describeDropped(entry)),
  ]
}

function describeSpoolFailure(failure: unknown, spoolDir: string): string {
  return (
    `the spool folder ${spoolDir} cannot be used (${describeError(failure)}): runs can only be sent from memory, ` +
    'and what neither went nor waits is lost. Set spoolDir (RUNLEDGER_SPOOL_DIR) to a folder with room'
  )
}

/** What the user loses, and why. */
export function describeDropped({ submissionId, writtenAtMs, reason }: DroppedEntry): string {
  const why = reason === 'age' ? 'it has waited for more than 30 days' : 'the spool holds more than 2 GB'
  return `spool entry ${submissionId} of ${new Date(writtenAtMs).toISOString()} dropped: ${why}`
}
