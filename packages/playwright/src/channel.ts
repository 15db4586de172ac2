/** How what tests record comes to the reporter: as attachments, which Playwright sends from its workers. */

/** Media type of an attachment that carries a JSON array of events; it is never uploaded itself. */
export const TEST_API_MEDIA_TYPE = 'application/vnd.runledger.test-api+json'

/** Set by a reporter that receives events. */
const VARIABLE = 'RUNLEDGER_LISTENS'

/** Tells all processes that start from now on that a reporter receives events. */
export function announceListener(): void {
  process.env[VARIABLE] = '1'
}

export function hasListener(): boolean {
  return process.env[VARIABLE] === '1'
}
