import type { WebhookKind } from '@runledger/protocol'

export const EVENT_WORDS: Record<WebhookKind, string> = {
  'test.newly_failing': 'A test began to fail',
  'test.fixed': 'A test is fixed',
  'test.newly_flaky': 'A test became flaky',
  'test.failing_in_a_row': 'A test failed three times in a row',
  'build.incomplete': 'A build is incomplete',
  'build.completed': 'The rest of a build came',
  'line.yield_below': 'The yield is below its limit',
  'line.yield_recovered': 'The yield is above its limit again',
  'line.out_of_control': 'A measurement is out of control',
  'line.in_control': 'A measurement is in control again',
  'webhook.test': 'Test message',
}
