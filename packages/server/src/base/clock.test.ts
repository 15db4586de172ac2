import { expect, it } from 'vitest'
import { SteadyPace } from './clock'

function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('lets one of several works go on in each turn', async () => {
  let turn = 0
  const timer = setInterval(() => (turn += 1), 0)
  const wentOn: number[] = []
  await Promise.all(
    [1, 2, 3].map(async () => {
      await new SteadyPace().rest()
      wentOn.push(turn)
      work(5)
    }),
  )
  clearInterval(timer)
  expect(new Set(wentOn).size).toBe(3)
})
