import { describe, expect, test } from 'vitest'
import { ChamberError } from '../src/climate-chamber'
import { setUpBench } from './bench'

test('tells its model and serial number', async () => {
  const { chamber } = await setUpBench()
  expect(await chamber.identify()).toEqual({
    maker: 'Acme',
    model: 'CC-180',
    serialNumber: 'CC180-00417',
    firmware: '2.4.1',
  })
})

describe('target', () => {
  test('is what was set', async () => {
    const { chamber } = await setUpBench()
    await chamber.setTarget(-25)
    expect(await chamber.readTarget()).toBe(-25)
  })

  test.each([-40.1, 180.1])('of %d °C is refused and leaves the last one', async (celsius) => {
    const { chamber } = await setUpBench()
    await chamber.setTarget(60)
    await expect(chamber.setTarget(celsius)).rejects.toThrow(ChamberError)
    expect(await chamber.readTarget()).toBe(60)
  })
})

describe('air', () => {
  test.each([-40, 5, 85, 180])('settles at %d °C', async (celsius) => {
    const { chamber, simulator } = await setUpBench()
    await chamber.setTarget(celsius)
    await chamber.settle(0.2)
    expect(simulator.readReference()).toBeCloseTo(celsius, 0)
  })

  test.todo('does not overshoot with a load inside')
})
