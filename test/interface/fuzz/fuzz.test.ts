import { afterAll, beforeAll, expect, it } from 'vitest'
import { SOAK_SEED } from '../../support/random'
import { createWorld, type World } from '../world'
import { Fuzzer } from './fuzzer'

/** `npm run soak -- fuzz [--requests N] [--seed N]`; without them, some hundred. */
const REQUESTS = Number(process.env['SOAK_REQUESTS'] ?? 400)

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

it(`${REQUESTS} requests made from the description get described answers`, async () => {
  console.log(
    `fuzz: seed ${SOAK_SEED}; again with npm run soak -- fuzz --seed ${SOAK_SEED} --requests ${REQUESTS}`,
  )
  const { failures, statuses, requests, succeeded, unreached } = await new Fuzzer(world, SOAK_SEED).run(
    REQUESTS,
  )
  console.log(
    `fuzz: ${requests} requests`,
    statuses,
    `${succeeded.size} operations succeeded, never: ${unreached.join(', ')}`,
  )
  expect(failures.join('\n\n')).toBe('')
  // Requests that all are refused at the door would find nothing behind it.
  if (REQUESTS >= 20_000) expect(unreached.length).toBeLessThan(10)
  else if (REQUESTS >= 400) expect(succeeded.size).toBeGreaterThan(15)
  const health = await world.server.send('GET', '/healthz')
  expect(health.status).toBe(200)
  await world.createRun()
  expect(world.server.logged).toEqual([])
}, 3_600_000)
