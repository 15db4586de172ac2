import { isWholeMatrix, testBehaviours } from './test-behaviours'

testBehaviours('vitest', ({ isNewest }) => isWholeMatrix || isNewest)
