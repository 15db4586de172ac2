// node scripts/train-flaky-or-real.mjs [--check] [FOLDER]: makes the weights of
// packages/statistics/src/flaky-or-real-weights.ts from the first half of Apache Ozone's failures, those of
// test/bench/histories or of a folder with the same files. With --check it ends 1 when the file has others.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'

prepare()
const { runnerImport } = await import('vite')
const { firstHalf, makeWeights } = await import('../test/bench/statistics-flaky-or-real.mjs')
const { replayOzone } = await import('../test/bench/statistics-ozone.mjs')

const repository = path.resolve(import.meta.dirname, '..')
const sources = path.join(repository, 'packages/statistics/src')
const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })
const [folder = path.join(repository, 'test/bench/histories')] = positionals
const { module: facts } = await runnerImport(path.join(sources, 'failure-facts.ts'))
const { module: features } = await runnerImport(path.join(sources, 'failure-features.ts'))
const failures = firstHalf(replayOzone(folder, facts))
const weights = makeWeights(failures, features)
const file = path.join(sources, 'flaky-or-real-weights.ts')
if (!values.check) writeFileSync(file, formatWeights())
else if (readFileSync(file, 'utf8') !== formatWeights()) {
  console.error(`${file} has other weights: node scripts/train-flaky-or-real.mjs`)
  process.exitCode = 1
}
console.log(
  `weights from ${failures.length} failures, ${failures.filter(({ real }) => real).length} of them real`,
)

function formatWeights() {
  const lines = Object.entries(weights).map(([name, weight]) => `  ${name}: ${Number(weight.toFixed(3))},`)
  return `import type { FeatureName } from './failure-features'

/** Change of the logarithm of the odds per unit of each feature. */
export type FlakyOrRealWeights = Readonly<Record<FeatureName | 'constant', number>>

/** Made by \`scripts/train-flaky-or-real.mjs\` from ${failures.length} failures of Apache Ozone's CI: \`docs/statistics.md\`. */
export const FLAKY_OR_REAL_WEIGHTS: FlakyOrRealWeights = {
${lines.join('\n')}
}
`
}
