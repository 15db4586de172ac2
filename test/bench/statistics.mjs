// npm run bench -- statistics [FOLDER]
// Whether our statistics are true: against the test vectors of LUCI and Otava, and on real histories in the folder, which has
// files like those in test/bench/histories.
import path from 'node:path'
import { runnerImport } from 'vite'
import { conclude } from './results.mjs'
import { firstHalf, makeWeights, scoreWeights, secondHalf } from './statistics-flaky-or-real.mjs'
import { measureCoverage } from './statistics-coverage.mjs'
import { readRows } from './statistics-data.mjs'
import { replayOzone } from './statistics-ozone.mjs'
import { compareWithLuci, compareWithOtava, timeSegments } from './statistics-vectors.mjs'

/** Areas under the curve of a plain logistic model, or of the row of failures alone, on all of Ozone's history. */
const BASELINES = { all: 0.92, noPass: 0.81, first: 0.66 }
const GROUPS = {
  all: 'all failures',
  noPass: 'no pass on the commit yet',
  first: 'first execution of the commit',
}

const [folder = path.join(import.meta.dirname, 'histories')] = process.argv.slice(2)
const sources = path.resolve(import.meta.dirname, '../../packages/statistics/src')
const statistics = await importSources([
  'beta-binomial.ts',
  'change-points.ts',
  'duration-changes.ts',
  'failure-facts.ts',
  'failure-features.ts',
  'flaky-or-real.ts',
  'flaky-or-real-weights.ts',
  'history.ts',
  'intervals.ts',
  'luci-vectors.ts',
  'segments.ts',
  'special-functions.ts',
  'tigerbeetle.ts',
])

process.exitCode = conclude([...judgeVectors(), ...judgeIntervals(), ...judgeFlakyOrReal()])

async function importSources(files) {
  const modules = await Promise.all(files.map((file) => runnerImport(path.join(sources, file))))
  return Object.assign({}, ...modules.map(({ module }) => module))
}

function judgeVectors() {
  const luci = compareWithLuci(statistics)
  const otava = compareWithOtava(statistics)
  console.log(
    `segments: ${luci.n} vectors of LUCI, ${luci.differing.length} differ ${luci.differing.join(', ')}`,
  )
  console.log(
    `durations: changes of the TigerBeetle series at ${otava.found.join(', ')}, expected at ${otava.expected.join(', ')}`,
  )
  return [
    { name: "LUCI's vectors that differ", target: 0, value: luci.differing.length, unit: '', digits: 0 },
    { name: 'segments of 500 positions', target: 20, value: timeSegments(statistics), unit: 'ms', digits: 1 },
    {
      name: 'TigerBeetle: positions from the expected ones',
      target: 1,
      value: otava.distance,
      unit: '',
      digits: 0,
    },
  ]
}

function judgeIntervals() {
  const rows = readRows(folder, 'flakeflagger.csv.gz')
  return [20, 100, 1_000].map((n) => {
    const { coverage, tests } = measureCoverage(rows, n, statistics)
    console.log(
      `intervals: ${percent(coverage)} of all samples of ${n} cover the truth, mean of ${tests} tests with both verdicts`,
    )
    const points = Math.abs(coverage - 0.95) * 100
    return {
      name: `95 % intervals of ${n} results: points from 95 %`,
      target: 1,
      value: points,
      unit: 'points',
    }
  })
}

function judgeFlakyOrReal() {
  const failures = replayOzone(folder, statistics)
  const weights = makeWeights(firstHalf(failures), statistics)
  const score = scoreWeights(secondHalf(failures), weights, statistics)
  describeScore('weights made on the first half', score)
  describeScore(
    'weights in the code',
    scoreWeights(secondHalf(failures), statistics.FLAKY_OR_REAL_WEIGHTS, statistics),
  )
  const worst = Math.max(...score.fifths.map(({ predicted, observed }) => Math.abs(predicted - observed)))
  return [
    ...Object.entries(BASELINES).map(([group, target]) => ({
      name: `flaky or real, area under the curve: ${GROUPS[group]}`,
      target,
      isLeast: true,
      value: score.areas[group],
      unit: '',
      digits: 3,
    })),
    {
      name: 'flaky or real, worst fifth: points from the observed',
      target: 10,
      value: worst * 100,
      unit: 'points',
      digits: 1,
    },
    {
      name: `"real" was right (said ${score.saidReal.n} times, recall ${percent(score.saidReal.right / score.real)})`,
      target: 90,
      isLeast: true,
      // Never said is never wrong.
      value: score.saidReal.n === 0 ? 100 : (100 * score.saidReal.right) / score.saidReal.n,
      unit: '%',
      digits: 1,
    },
  ]
}

function describeScore(title, { failures, real, areas, fifths, saidReal, saidFlaky }) {
  console.log(`flaky or real, ${title}: ${failures} failures of the second half, ${real} of them real`)
  console.log(
    `  areas: ${Object.entries(areas)
      .map(([group, area]) => `${GROUPS[group]} ${area.toFixed(3)}`)
      .join(', ')}`,
  )
  console.log(
    `  predicted and observed: ${fifths.map((one) => `${percent(one.predicted)} ${percent(one.observed)}`).join(', ')}`,
  )
  console.log(
    `  "real" right ${saidReal.right} of ${saidReal.n}, "flaky" right ${saidFlaky.right} of ${saidFlaky.n}`,
  )
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`
}
