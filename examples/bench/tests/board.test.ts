import { measure, unitUnderTest } from '@runledger/vitest'
import { test } from 'vitest'
import { Bench } from '../src/bench'

test('the controller board has its voltages', async () => {
  const bench = new Bench()
  unitUnderTest({ serialNumber: await bench.scan('board'), partNumber: 'CTRL', revision: 'D' })
  measure('5 V', await bench.readVolts('5 V'), { unit: 'V', low: 4.9, high: 5.1 })
  measure('3.3 V', await bench.readVolts('3.3 V'), { unit: 'V', low: 3.23, high: 3.37 })
})
