import { expect, it } from 'vitest'
import type { RunDelivery } from '../delivery/run-delivery'
import { formatDeliveryLine } from './terminal-line'

it('is one sentence, whatever stops a service puts behind its own', () => {
  const answer = { id: '1', url: 'https://ledger.example/runs/1' }
  const delivered = {
    status: 'delivered',
    passed: true,
    answer,
    isComplete: false,
    problems: ['a.png: gone.'],
  }
  const failed = { status: 'failed', passed: true, error: new Error('It is too large.') }
  expect(formatDeliveryLine([delivered, failed] as RunDelivery[])).toBe(
    '1 run on record, passed: https://ledger.example/runs/1; 1 of 2 runs not sent: It is too large; not sent: a.png: gone.',
  )
})
