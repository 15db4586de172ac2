// npm run bench -- shards [FOLDER]
// Measures how evenly shards end. Plans each state of PyTorch's suites on the durations before it.
import path from 'node:path'
import { runnerImport } from 'vite'
import { conclude } from './results.mjs'
import { readRows } from './statistics-data.mjs'

const TOTALS = [2, 3, 4, 5]
const [folder = path.join(import.meta.dirname, 'histories')] = process.argv.slice(2)
const sources = path.resolve(import.meta.dirname, '../../packages/statistics/src/shards')
const { planShards } = (await runnerImport(path.join(sources, 'plan-shards.ts'))).module
const { expectDuration, medianOf } = (await runnerImport(path.join(sources, 'expected-duration.ts'))).module

const suites = listSuites(readRows(folder, 'pytorch-durations.csv.gz'))
const measured = TOTALS.map((total) => ({ total, builds: measure(total) }))
process.exitCode = conclude(judge())

/** Lists the states of each suite, oldest first. A state has durations by file. */
function listSuites(rows) {
  const byName = new Map()
  for (const { env, config, file, time, seconds } of rows) {
    const states = getOrAdd(byName, `${env} ${config}`, () => new Map())
    getOrAdd(states, time, () => new Map()).set(file, Number(seconds))
  }
  return [...byName.values()].map((states) =>
    [...states].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, files]) => files),
  )
}

function getOrAdd(map, key, create) {
  if (!map.has(key)) map.set(key, create())
  return map.get(key)
}

/** Measures all states of each suite except the first one and those with fewer than two files for each shard. */
function measure(total) {
  return suites.flatMap((states) => {
    const durations = new Map()
    return states.flatMap((files, index) => {
      const build = index === 0 || files.size < 2 * total ? [] : [measureState(files, durations, total)]
      for (const [file, seconds] of files) getOrAdd(durations, file, () => []).push(seconds)
      return build
    })
  })
}

function measureState(files, durations, total) {
  const names = [...files.keys()]
  const plan = planShards(names, total, { durations, startUp: 0 })
  const loads = plan.map((shard) => sumOf(shard.map((file) => files.get(file))))
  const byCount = names.toSorted().reduce((sums, file, index) => {
    sums[index % total] += files.get(file)
    return sums
  }, Array(total).fill(0))
  const expected = names.map((file) => expectDuration(durations.get(file) ?? []) ?? 0)
  const mean = sumOf(loads) / total
  return {
    ratio: Math.max(...loads) / mean,
    byCount: Math.max(...byCount) / mean,
    best: Math.max(mean, ...files.values()) / mean,
    // Whether no file is expected to take longer than a shard.
    fits: Math.max(...expected) <= sumOf(expected) / total,
    isExact: isSame(plan.flat(), names),
  }
}

function isSame(one, other) {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())
}

function judge() {
  const all = measured.flatMap(({ builds }) => builds)
  for (const { total, builds } of measured) {
    console.log(`${total} shards, ${builds.length} builds of ${suites.length} suites`)
    describe(
      '  longest ÷ mean, by count',
      builds.map(({ byCount }) => byCount),
    )
    describe(
      '  longest ÷ mean, planned',
      builds.map(({ ratio }) => ratio),
    )
    const fitting = builds.filter(({ fits }) => fits)
    console.log(`  ${fitting.length} without a file longer than a shard`)
    describe(
      '    longest ÷ mean, by count',
      fitting.map(({ byCount }) => byCount),
    )
    describe(
      '    longest ÷ mean, planned',
      fitting.map(({ ratio }) => ratio),
    )
    describe(
      '  longest ÷ the best that whole files allow',
      builds.map(({ ratio, best }) => ratio / best),
    )
  }
  const halves = measured[0].builds.filter(({ fits }) => fits).map(({ ratio }) => ratio)
  const relative = all.map(({ ratio, best }) => ratio / best)
  const limit = (name, target, value, digits = 3) => ({ name, target, value, unit: '', digits })
  return [
    limit('2 shards, no file longer than a shard: longest ÷ mean, median', 1.02, medianOf(halves)),
    limit('2 shards, no file longer than a shard: longest ÷ mean, p95', 1.12, percentile(halves, 0.95)),
    limit('2 to 5 shards: longest ÷ the best that whole files allow, median', 1.02, medianOf(relative)),
    limit('2 to 5 shards: longest ÷ the best that whole files allow, p95', 1.12, percentile(relative, 0.95)),
    limit('builds with a file in no shard or in two', 0, all.filter(({ isExact }) => !isExact).length, 0),
  ]
}

function describe(name, values) {
  if (values.length === 0) return
  const [median, p95] = [medianOf(values), percentile(values, 0.95)].map((value) => value.toFixed(3))
  console.log(`${name}: median ${median}, p95 ${p95}`)
}

function percentile(values, share) {
  return values.toSorted((one, other) => one - other)[Math.ceil(share * values.length) - 1]
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0)
}
