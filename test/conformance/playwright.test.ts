import { isWholeMatrix, testBehaviours } from './test-behaviours'

testBehaviours('playwright', ({ isNewest }) => isWholeMatrix || isNewest)
