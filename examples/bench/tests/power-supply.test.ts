import { attach, log, measure, step, subUnit, unitUnderTest, variable } from '@runledger/vitest'
import { beforeAll, test } from 'vitest'
import { Bench } from '../src/bench'

// The supply that came in now: with EXAMPLE_FAIL=1 its output capacitor has aged.
const bench = new Bench(process.env.EXAMPLE_FAIL === '1' ? { rippleMillivolts: 71 } : {})

beforeAll(async () => {
  unitUnderTest({ serialNumber: await bench.scan('supply'), partNumber: 'PSU-24', revision: 'C' })
  subUnit(await bench.scan('board'))
  variable('fixture', 'B')
})

test('output', async () => {
  await step('without load', async () => {
    await bench.setLoad(0)
    measure('voltage', await bench.readVolts('output'), { unit: 'V', low: 23.8, high: 24.2 })
  })
  await step('at full load', async () => {
    await bench.setLoad(5)
    measure('voltage', await bench.readVolts('output'), { unit: 'V', low: 23.6, high: 24.2 })
    measure('ripple', await bench.readRipple(), { unit: 'mV', high: 50 })
  })
})

test('front panel', async () => {
  attach('panel', { body: await bench.takePhoto(), contentType: 'image/png' })
  log('the lamp is green')
})
