import type { Client, RunDetail } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { readRuns } from './failed-tests'

it('reads a few runs of a build at a time, and the next when these are done', async () => {
  const asked: string[] = []
  const getRun = ({ params: { id } }: { params: { id: string } }) => {
    asked.push(id)
    return Promise.resolve({ id } as RunDetail)
  }
  const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`)
  const runs = readRuns(
    { getRun } as unknown as Client,
    ids.map((id) => ({ id })),
  )
  expect((await runs.next()).value?.id).toBe('run-0')
  expect(asked).toEqual(ids.slice(0, 8))
  const rest: string[] = []
  for await (const { id } of runs) rest.push(id)
  expect(rest).toEqual(ids.slice(1))
})
