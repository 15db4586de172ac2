import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { PACKAGES } from './packages.mjs'

const packages = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../packages')
const source = (name, entry = 'index.ts') => path.join(packages, name, 'src', entry)

const name = process.env.MUTATION_PACKAGE
const { tests = ['src/**/*.test.ts'] } = PACKAGES[name]

/** The tests that may kill a mutant: those beside the mapping, and replays of recorded executions. */
export default defineConfig({
  root: path.join(packages, name),
  resolve: {
    alias: {
      '@runledger/protocol': source('protocol'),
      '@runledger/presentation': source('presentation'),
      '@runledger/readers': source('readers'),
      '@runledger/redact': source('redact'),
      '@runledger/statistics': source('statistics'),
      '@runledger/core/light': source('core', 'light.ts'),
      '@runledger/core': source('core'),
      '@runledger/reporter-kit/test-side': source('reporter-kit', 'test-side/index.ts'),
      '@runledger/reporter-kit': source('reporter-kit'),
    },
  },
  // One worker for all files: starting one for each takes longer than the tests.
  test: { include: tests, testTimeout: 20_000, isolate: false },
})
