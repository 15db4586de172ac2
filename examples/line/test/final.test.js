import { test } from 'node:test'
import { withTest } from '@runledger/node-test'
import { ask } from '../meter.js'

test('supply', async (t) => {
  const { measure, unitUnderTest } = withTest(t)
  unitUnderTest({
    serialNumber: process.env.SCANNED,
    partNumber: 'CTRL',
    revision: 'D',
    batchNumber: process.env.BATCH,
  })
  measure('5 V rail', await ask('MEAS:VOLT? 5V'), { unit: 'V', low: 4.9, high: 5.1 })
  measure('3.3 V rail', await ask('MEAS:VOLT? 3V3'), { unit: 'V', low: 3.2, high: 3.4 })
  measure('current', await ask('MEAS:CURR?'), { unit: 'mA', high: 250 })
})
