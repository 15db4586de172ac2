import { readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { listTestFiles } from './scripts/test-sets/sets.mjs'
import { SkippedTestsReporter } from './test/support/skipped-tests.ts'

const repository = path.dirname(fileURLToPath(import.meta.url))
const source = (name: string, entry = 'index.ts') => path.join(repository, 'packages', name, 'src', entry)

// npm run test:quick, npm run test:all
const set = process.env['RUNLEDGER_TEST_SET']

const files = listTestFiles()
  .filter((one) => one.file.startsWith('packages/') && (set === undefined || one.set === set))
  .map(({ file }) => file)

/** Reporters keep a folder on the process. Their tests leave it there, and tests of the kit would find it. */
const KIT = 'packages/reporter-kit/'

/** Later files of a shared worker would get the modules that a file replaced. */
const isIsolated = (file: string) =>
  file.startsWith(KIT) ||
  /vi\.(mock|doMock|resetModules)\(/.test(readFileSync(path.join(repository, file), 'utf8'))

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
    reporters: ['default', new SkippedTestsReporter(`beside-${set ?? 'all'}`)],
    // For those that hang; a busy machine takes a while to start a service.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Many of them wait: fewer than there are cores, as is usual, would leave a small machine idle.
    maxWorkers: os.availableParallelism() + 1,
    // No test leaves runs in the spool of whoever runs it.
    env: { XDG_STATE_HOME: path.join(os.tmpdir(), `runledger-fast-tests-${process.pid}`) },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: files.filter((file) => !isIsolated(file)),
          // A worker that goes on with the next file has the modules that the last one imported.
          isolate: false,
          // npm run test:postgres
          globalSetup:
            process.env.RUNLEDGER_TEST_DATABASE === 'postgres' ? ['test/support/postgres-setup.ts'] : [],
        },
      },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: files.filter(isIsolated),
        },
      },
    ],
  },
})
