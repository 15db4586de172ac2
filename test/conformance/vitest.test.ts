import { testBehaviours } from './test-behaviours'

testBehaviours('vitest')
