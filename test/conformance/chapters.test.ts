import { expect, test } from 'vitest'
import { EXECUTION_CHAPTERS, SUITE_CHAPTERS } from './chapters'

// FEATURES.md and the results tell behaviours apart by these.
test.each([...SUITE_CHAPTERS, ...EXECUTION_CHAPTERS])(
  '$title: each behaviour has a name of its own',
  ({ behaviours }) => {
    const names = behaviours.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  },
)
