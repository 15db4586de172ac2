import { isWholeMatrix, testBehaviours } from './test-behaviours'

testBehaviours('jest', ({ isNewest }) => isWholeMatrix || isNewest)
