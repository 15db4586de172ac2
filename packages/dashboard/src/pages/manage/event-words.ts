import type { WebhookEvent, WebhookKind } from '@runledger/protocol'

const OF_EVENTS: Record<WebhookEvent, string> = {
  'test.newly_failing': 'A test began to fail',
  'test.fixed': 'A test is fixed',
  'test.newly_flaky': 'A test became flaky',
  'test.failing_in_a_row': 'A test failed three times in a row',
  'build.incomplete': 'A build is incomplete',
  'line.yield_below': 'The yield is below its limit',
  'line.out_of_control': 'A measurement is out of control',
}

/** All events of webhooks. An import of the protocol's list would load its schemas, too. */
export const EVENTS = Object.keys(OF_EVENTS) as WebhookEvent[]

export const EVENT_WORDS: Record<WebhookKind, string> = {
  ...OF_EVENTS,
  'build.completed': 'The build is complete now',
  'line.yield_recovered': 'The yield is above its limit again',
  'line.in_control': 'A measurement is in control again',
  'webhook.test': 'Test message',
}
