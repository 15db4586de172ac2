import { expect, it, vi } from 'vitest'
import type { Context } from '../../operations/call/context'
import { openTestContext } from '../../testing/open-test-context'
import { startWebhooks } from './run-webhooks'

it('logs once that the database is away, goes on, and logs it again the next time', async () => {
  const service = await openTestContext()
  const logged: string[] = []
  let steps = 0
  let isAway = true
  const database = {
    get query() {
      steps += 1
      if (isAway) throw new Error('away')
      return service.context.database.query
    },
  }
  const log = { ...service.context.log, error: (message: string) => void logged.push(message) }
  const context = { ...service.context, database, log } as unknown as Context
  const stop = startWebhooks(context, { detectMs: 2 ** 31 - 1, sendMs: 5 })
  const passSteps = async (count: number) => {
    const until = steps + count
    await vi.waitFor(() => expect(steps).toBeGreaterThanOrEqual(until))
  }
  await passSteps(5)
  expect(logged).toEqual(['A step of the webhooks failed; it goes on later'])
  isAway = false
  await passSteps(5)
  isAway = true
  await passSteps(5)
  expect(logged).toHaveLength(2)
  await stop()
  const stopped = steps
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(steps).toBe(stopped)
  await service.close()
})
