import type { RunDetail } from '@runledger/protocol'
import type { Dialect } from './dialect'

const NAMES =
  'measure, measureAll, attach, variable, step, subUnit, unitUnderTest, log, toBeWithinLimits, withTest'

/** A file's line that brings in the functions. */
export function speaks({ framework }: Dialect): string {
  return framework === 'vitest'
    ? `import { ${NAMES} } from '@runledger/vitest'\n`
    : `const { ${NAMES} } = require('@runledger/${framework}')\n`
}

/** `name: value unit [low, high]` of every measurement on record, in the order of the run's steps. */
export function listMeasurements(run: RunDetail | undefined): string[] {
  return (run?.phases ?? []).flatMap(({ name, measurements }) =>
    measurements.map(({ measured_value: value, units, validators }) => {
      const limits = (validators ?? []).map(
        ({ operator, expected_value: limit }) => `${operator}${String(limit)}`,
      )
      return [`${name}: ${String(value)}`, ...(units ? [units] : []), ...limits].join(' ')
    }),
  )
}

/** Line of a test file that defines `pause(ms)`. */
export const PAUSE = 'const pause = (ms) => new Promise((done) => setTimeout(done, ms))\n'
