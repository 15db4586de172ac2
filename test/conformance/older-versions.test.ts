import { describe } from 'vitest'
import { isWholeMatrix, testBehaviours } from './test-behaviours'

// In the whole matrix each framework's own file has all of its versions.
describe.skipIf(isWholeMatrix).each(['jest', 'vitest', 'playwright'] as const)('%s', (framework) => {
  testBehaviours(framework, ({ isNewest }) => !isNewest)
})
