import { expect, test, type TestContext } from 'vitest'
import { setUpBench } from './bench'

// The unit that came in today: with EXAMPLE_FAIL=1 its sensor has drifted.
const faults = process.env.EXAMPLE_FAIL === '1' ? { sensorOffset: 1.8 } : {}

test.for([-20, 23, 121])('agrees with the reference thermometer at %d °C', async (celsius, context) => {
  const { chamber, simulator } = await setUpBench(faults)
  await chamber.setTarget(celsius)
  const readings = await chamber.settle(0.2)
  await keepReadings(context, readings)

  const error = readings.at(-1)! - simulator.readReference()
  console.log(`error at ${celsius} °C: ${error.toFixed(2)} °C`)
  expect(Math.abs(error)).toBeLessThanOrEqual(0.5)
})

/** Annotations of Vitest go on record with the test, their files as attachments. */
async function keepReadings({ annotate }: TestContext, readings: number[]): Promise<void> {
  const csv = ['reading,celsius', ...readings.map((celsius, index) => `${index + 1},${celsius}`)].join('\n')
  const body = Buffer.from(csv).toString('base64')
  await annotate('Settling curve', { contentType: 'text/csv', body })
}
