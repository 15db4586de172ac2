/** Tests send events as attachments, which Playwright forwards from its workers. */

/** An attachment with a JSON array of events; never uploaded. */
export const TEST_API_MEDIA_TYPE = 'application/vnd.runledger.test-api+json'

const VARIABLE = 'RUNLEDGER_LISTENS'

/** Tells processes that start later that a reporter receives events. */
export function announceListener(): void {
  process.env[VARIABLE] = '1'
}

export function hasListener(): boolean {
  return process.env[VARIABLE] === '1'
}
