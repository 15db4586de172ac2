// Configuration of StrykerJS for one package, whose name is in MUTATION_PACKAGE.
import { PACKAGES } from './packages.mjs'

const name = process.env.MUTATION_PACKAGE
const { mutate } = PACKAGES[name]

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.mjs', related: false },
  coverageAnalysis: 'perTest',
  mutate: mutate.map((file) => `packages/${name}/src/${file}`),
  concurrency: 1,
  // Not `incremental`: it keeps the verdict of a mutant in a constant when another test has begun to kill it.
  timeoutMS: 10_000,
  tempDirName: '.cache/mutation/sandboxes',
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: `.cache/mutation/${name}.json` },
  ignorePatterns: [
    '.cache',
    'examples',
    'packages/*/dist',
    'packages/dashboard',
    'packages/server',
    'packages/cli',
  ],
  warnings: { slow: false },
}
