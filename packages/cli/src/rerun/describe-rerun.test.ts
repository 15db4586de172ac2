import type { Build } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { listOthers } from './describe-rerun'
import { Failures } from './failures'

it('names failed runs of the build that the service does not list', () => {
  const build = { url: 'https://runledger.example.com/builds/1' } as Build
  const found = { build, failures: new Failures([]) }
  expect(listOthers({ ...found, unlisted: 0 })).toEqual([])
  expect(listOthers({ ...found, unlisted: 2 })).toEqual([
    'The build has a failure that no test can clear: 2 failed runs could not be listed',
  ])
})
