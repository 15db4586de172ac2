import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { listSet } from '../scripts/test-sets/sets.mjs'
import { listTags } from './support/requirements.ts'
import { SkippedTestsReporter } from './support/skipped-tests.ts'

/** The seed of every test that draws at random; set `SOAK_SEED` to repeat an execution. */
const seed = process.env.SOAK_SEED ?? String(Date.now())

// npm run test:all
const set = process.env['RUNLEDGER_TEST_SET']

const here = path.dirname(fileURLToPath(import.meta.url))

/** Tests that start real frameworks, the built service or a browser: they need a build and the install step. */
export default defineConfig({
  root: here,
  resolve: {
    alias: {
      '@runledger/protocol': path.join(here, '../packages/protocol/src/index.ts'),
      '@runledger/demo-data': path.join(here, '../packages/demo-data/src/index.ts'),
      '@runledger/presentation': path.join(here, '../packages/presentation/src/index.ts'),
      '@runledger/readers': path.join(here, '../packages/readers/src/index.ts'),
      '@runledger/statistics': path.join(here, '../packages/statistics/src/index.ts'),
    },
  },
  test: {
    include:
      set === undefined ? ['**/*.test.ts'] : listSet(set, 'test').map((file) => file.slice('test/'.length)),
    env: { SOAK_SEED: seed },
    // npm run test:postgres
    globalSetup: process.env.RUNLEDGER_TEST_DATABASE === 'postgres' ? ['support/postgres-setup.ts'] : [],
    reporters: ['default', new SkippedTestsReporter(`started-${set ?? 'all'}`)],
    tags: listTags(),
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Its default of one second is less than a busy machine takes.
    expect: { poll: { timeout: 20_000 } },
    fileParallelism: true,
    // Many of them wait for what they have started; more at once would let what has limits run out of time.
    maxWorkers: 3,
    maxConcurrency: 2,
  },
})
