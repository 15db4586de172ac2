import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { REPOSITORY } from '../support/repository'

const execute = promisify(execFile)

it('the statistics meet their targets on the histories in the repository', async () => {
  const { stdout } = await execute(process.execPath, ['test/bench/statistics.mjs'], { cwd: REPOSITORY })
  expect(stdout).toContain('Every target is met.')
})

it('plans of shards meet their targets on the durations in the repository', async () => {
  const { stdout } = await execute(process.execPath, ['test/bench/shards.mjs'], { cwd: REPOSITORY })
  expect(stdout).toContain('Every target is met.')
})

it('the weights in the code are those that the script makes', async () => {
  const args = ['scripts/train-flaky-or-real.mjs', '--check']
  const { stdout } = await execute(process.execPath, args, { cwd: REPOSITORY })
  expect(stdout).toContain('weights from 437 failures, 71 of them real')
})
