import { testBehaviours } from './test-behaviours'

testBehaviours('jest')
