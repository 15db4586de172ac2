import type { CreateRunAnswer } from '@runledger/protocol'
import type { RunDelivery } from '../delivery/run-delivery'
import { describeError } from '../model/errors'

const MAX_NAMED_PROBLEMS = 1

/** The one line at the end of an execution: how many runs, passed or failed, and the link. */
export function formatDeliveryLine(deliveries: readonly RunDelivery[]): string {
  const delivered = deliveries.filter((delivery) => delivery.status === 'delivered')
  const undelivered = deliveries.filter((delivery) => delivery.status === 'failed')
  const parts = [
    ...(delivered.length > 0
      ? [`${countRuns(deliveries, delivered.length)}: ${findLink(deliveries) ?? ''}`]
      : []),
    ...(undelivered[0]
      ? [
          `${undelivered.length} of ${deliveries.length} runs not sent: ${describeError(undelivered[0].error)}`,
        ]
      : []),
    ...formatProblems(delivered.flatMap(({ problems }) => problems)),
  ]
  return joinClauses(parts)
}

/** One sentence of all that is said; what came as a sentence of its own loses its stop. */
export function joinClauses(clauses: readonly string[]): string {
  const said = clauses.filter((clause) => clause !== '')
  const last = said.length - 1
  return said.map((clause, index) => (index < last ? clause.replace(/\.$/, '') : clause)).join('; ')
}

/** One run: its address; several: their group's page where the service has one, else the first failed run's. */
export function findLink(deliveries: readonly RunDelivery[]): string | undefined {
  const delivered = deliveries.filter((delivery) => delivery.status === 'delivered')
  const answers: CreateRunAnswer[] = delivered.map(({ answer }) => answer)
  if (answers.length === 1) return answers[0]?.url
  const firstFailed = delivered.find(({ passed }) => !passed)?.answer ?? answers[0]
  return answers.find(({ group_url }) => group_url !== undefined)?.group_url ?? firstFailed?.url
}

function countRuns(deliveries: readonly RunDelivery[], count: number): string {
  const failed = deliveries.filter(({ status, passed }) => status === 'delivered' && !passed).length
  const runs = `${count} run${count === 1 ? '' : 's'} on record`
  if (failed === 0) return `${runs}, passed`
  return failed === count ? `${runs}, failed` : `${runs}, ${count - failed} passed, ${failed} failed`
}

function formatProblems(problems: readonly string[]): string[] {
  if (problems.length === 0) return []
  const rest = problems.length - MAX_NAMED_PROBLEMS
  return [
    `not sent: ${problems.slice(0, MAX_NAMED_PROBLEMS).join('; ')}${rest > 0 ? `, and ${rest} more` : ''}`,
  ]
}
