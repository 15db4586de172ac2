import { testBehaviours } from './test-behaviours'

testBehaviours('playwright')
