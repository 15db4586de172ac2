import type { WebhookMessage } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { US_PER_DAY } from '../../base/clock'
import { insertDelivery } from '../../record/results/webhooks/delivery-store'
import { createDelivery } from '../../record/results/webhooks/map'
import { findWebhook } from '../../record/results/webhooks/store'
import { openTestContext } from '../../testing/open-test-context'
import { createWebhookIn, readDeliveries } from '../../testing/webhook-calls'
import { sweepOnce } from '../sweep'

it('deletes messages after 30 days, except the last one about the state of a line that has not failed', async () => {
  const service = await openTestContext()
  const { context } = service
  const { id } = await createWebhookIn(service, { url: 'https://x.test/hook' })
  const webhook = await findWebhook(context.database.query, id)
  const queue = (type: WebhookMessage['type'], subject: string, number: number) =>
    context.database.write(({ query }) =>
      insertDelivery(
        query,
        createDelivery(context, {
          webhook_id: webhook?.id ?? 0,
          procedure_id: null,
          subject,
          number,
          content: { type, data: {} } as WebhookMessage,
        }),
      ),
    )
  await queue('line.yield_below', 'line 1 yield', 1)
  await queue('line.yield_recovered', 'line 1 yield', 2)
  await queue('line.out_of_control', 'line 1 Vout', 1)
  await queue('line.in_control', 'line 1 Vout', 2)
  await context.database.write(({ query }) =>
    query
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at_us: null })
      .where('kind', '=', 'line.in_control')
      .execute(),
  )
  await queue('test.fixed', 'build 1', 1)
  const kinds = async () => (await readDeliveries(service, id)).map(({ kind }) => kind)
  // The clean-up counts ages by its own time, which follows the clock by two days at most.
  const passDays = async (days: number) => {
    for (let day = 0; day < days; day += 1) {
      service.advance(US_PER_DAY)
      await sweepOnce(context, new AbortController().signal)
    }
  }
  await passDays(29)
  await queue('test.fixed', 'build 2', 1)
  const lines = ['line.in_control', 'line.out_of_control', 'line.yield_recovered', 'line.yield_below']
  expect(await kinds()).toEqual(['test.fixed', 'test.fixed', ...lines])
  await passDays(2)
  expect(await kinds()).toEqual(['test.fixed', 'line.out_of_control', 'line.yield_recovered'])
  await service.close()
})
