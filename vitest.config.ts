import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { listSet } from './scripts/test-sets/sets.mjs'
import { SkippedTestsReporter } from './test/support/skipped-tests.ts'

const source = (name: string, entry = 'index.ts') =>
  path.join(path.dirname(fileURLToPath(import.meta.url)), 'packages', name, 'src', entry)

// npm run test:quick, npm run test:all
const set = process.env['RUNLEDGER_TEST_SET']

/** Tests beside the code; they need no build. */
export default defineConfig({
  resolve: {
    alias: {
      '@runledger/protocol': source('protocol'),
      '@runledger/demo-data': source('demo-data'),
      '@runledger/presentation': source('presentation'),
      '@runledger/readers': source('readers'),
      '@runledger/redact': source('redact'),
      '@runledger/statistics': source('statistics'),
      '@runledger/core/light': source('core', 'light.ts'),
      '@runledger/core/tools': source('core', 'tools.ts'),
      '@runledger/core': source('core'),
      '@runledger/reporter-kit/test-side': source('reporter-kit', 'test-side/index.ts'),
      '@runledger/reporter-kit': source('reporter-kit'),
      '@runledger/server': source('server'),
    },
  },
  test: {
    include: set === undefined ? ['packages/*/src/**/*.test.{ts,tsx}'] : listSet(set, 'packages'),
    // npm run test:postgres
    globalSetup: process.env.RUNLEDGER_TEST_DATABASE === 'postgres' ? ['test/support/postgres-setup.ts'] : [],
    // For those that hang; a busy machine takes a while to start a service.
    reporters: ['default', new SkippedTestsReporter(`beside-${set ?? 'all'}`)],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many of them wait: fewer than there are cores, as is usual, would leave a small machine idle.
    maxWorkers: os.availableParallelism() + 1,
    // No test leaves runs in the spool of whoever runs it.
    env: { XDG_STATE_HOME: path.join(os.tmpdir(), `runledger-fast-tests-${process.pid}`) },
  },
})
