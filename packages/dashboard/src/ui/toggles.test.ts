import { RUN_OUTCOMES } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { toggle } from './toggles'

it('puts an outcome in and takes it out again', () => {
  const once = toggle(RUN_OUTCOMES, ['ERROR'], 'PASS')
  expect(once).toEqual(['PASS', 'ERROR'])
  expect(toggle(RUN_OUTCOMES, once, 'ERROR')).toEqual(['PASS'])
})
