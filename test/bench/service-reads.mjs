// What people and clients read, and how long each may take.
import { median } from './measure.mjs'
import { createClient, percentile } from './service-client.mjs'
import { PROCEDURES } from './service-fill.mjs'
import { RARE_OUTCOME } from './service-rows.mjs'

const READS = 40
const WARM_READS = 4
const LIST = '/v2/runs?limit=50&include_metadata=true'
const SORTS = [
  'started_at',
  'created_at',
  'duration',
  'outcome',
  'serial_number',
  'part_number',
  'revision_number',
]
const MESSAGES = [
  'area 7 is',
  'of area',
  'gateway',
  'BASKET-1',
  'timeout 1007ms',
  'no such text',
  'the relay of',
]
const HITS = ['jest', 'dev-1003', 'sn-10012', 'suite-17.test', 'PCB-104', 'actions/runs', 'module-7/']

/** Each with its address for a round number and what the page before answered. */
const QUERIES = [
  { name: 'newest runs', target: 50, path: () => LIST },
  { name: 'next page', target: 50, path: (_round, last) => `${LIST}&cursor=${last.meta.next_cursor}` },
  { name: 'rare outcome', target: 50, path: () => `${LIST}&outcomes=${RARE_OUTCOME}` },
  { name: 'failed runs', target: 50, path: () => `${LIST}&outcomes=FAIL&outcomes=ERROR&outcomes=TIMEOUT` },
  { name: 'search without a hit', target: 50, path: (round) => `${LIST}&search_query=no-such-text-${round}` },
  { name: 'search with hits', target: 50, path: (round) => `${LIST}&search_query=${pick(HITS, round)}` },
  {
    name: 'search for one letter',
    target: 50,
    path: (round) => `${LIST}&search_query=${pick('aeiz', round)}`,
  },
  ...SORTS.map((sortBy) => ({
    name: `sorted by ${sortBy}`,
    target: 50,
    path: (round, last) =>
      `${LIST}&sort_by=${sortBy}&sort_order=${round % 4 < 2 ? 'asc' : 'desc'}${
        round % 2 === 1 ? `&cursor=${last.meta.next_cursor}` : ''
      }`,
  })),
  {
    name: 'unit history',
    target: 50,
    path: (round, last) => `${LIST}&serial_numbers=${pick(last.units, round)}`,
  },
  { name: 'runs of one procedure', target: 50, path: () => `${LIST}&procedure_ids=${PROCEDURES.other}` },
  { name: 'units', target: 50, path: () => '/v2/units?limit=50' },
  ...['phases', 'measurements'].map((noun) => ({
    name: `${noun} of one procedure`,
    target: 200,
    path: () => `/v2/${noun}?procedure_id=${PROCEDURES.phases}&limit=50`,
  })),
  {
    name: 'phases of the largest procedure',
    target: 200,
    path: () => `/v2/phases?procedure_id=${PROCEDURES.bulk}`,
  },
  {
    name: 'phases by id',
    target: 50,
    path: (_round, last) =>
      `/v2/phases?procedure_id=${PROCEDURES.phases}&ids=${last?.data[0]?.id ?? '00000000-0000-4000-8000-000000000000'}`,
  },
  // What happened is counted, and more of it takes longer.
  { name: 'errors', target: 200, isAlike: false, path: () => '/v2/errors' },
  {
    name: 'errors, most often first',
    target: 200,
    isAlike: false,
    path: (round) => `/v2/errors?sort_by=${round % 2 ? 'tests' : 'count'}`,
  },
  {
    name: 'errors of one procedure',
    target: 200,
    isAlike: false,
    path: () => `/v2/errors?procedure_ids=${PROCEDURES.phases}`,
  },
  {
    name: 'errors of a day',
    target: 200,
    isAlike: false,
    path: () => `/v2/errors?started_after=${new Date(Date.now() - 86_400_000).toISOString()}`,
  },
  {
    name: 'search in messages',
    target: 100,
    isAlike: false,
    path: (round) => `/v2/errors?search_query=${encodeURIComponent(pick(MESSAGES, round))}`,
  },
  // Of 50 tests that have failed for thousands of runs, and of a group of some runs.
  {
    name: 'verdicts on a run',
    target: 100,
    isAlike: false,
    path: (_round, last) => `/v2/verdicts?ids=${last.broken}`,
  },
  {
    name: 'verdicts on a group',
    target: 100,
    isAlike: false,
    path: (round, last) => `/v2/verdicts?group=${pick(last.groups, round)}`,
  },
  { name: 'whole runs, 100', target: 200, path: () => '/v1/runs?limit=100' },
  { name: 'one run', target: 50, path: (round, last) => `/v2/runs/${pick(last.ids, round)}` },
]

function pick(list, round) {
  return list[round % list.length]
}

/**
 * Times every read against a large and a small service, in turn, while the probe of the large one asks too.
 * @param {{ variables: Record<string, string> }} large @param {{ variables: Record<string, string> }} small
 */
export async function measureReads(large, small, probe) {
  const clients = { large: createClient(large.variables), small: createClient(small.variables) }
  const results = []
  for (const query of QUERIES) {
    const times = { large: [], small: [] }
    const last = {}
    for (const [size, client] of Object.entries(clients)) last[size] = await readFirst(client)
    const { longestWaitMs } = await probe.measure(async () => {
      for (let round = 0; round < WARM_READS + READS; round += 1)
        for (const [size, client] of Object.entries(clients)) {
          const { ms, text } = await client.time(query.path(round, last[size]))
          last[size] = keepLast(query, text, last[size])
          if (round >= WARM_READS) times[size].push(ms)
        }
    })
    results.push(...summarize(query, times, longestWaitMs))
  }
  await Promise.all([clients.large.close(), clients.small.close()])
  return results
}

/** Every read, round after round, with its path and what was answered. */
export async function* eachRead(client) {
  for (const query of QUERIES) {
    let last = await readFirst(client)
    for (let round = 0; round < READS; round += 1) {
      const pathname = query.path(round, last)
      const { text } = await client.time(pathname)
      last = keepLast(query, text, last)
      yield { pathname, text }
    }
  }
}

function keepLast(query, text, last) {
  const { ids, units, broken, groups } = last
  return { ids, units, broken, groups, ...(query.name === 'one run' ? {} : keepPage(text, last)) }
}

async function readFirst(client) {
  const page = await client.json('GET', '/v2/runs?limit=100&include_metadata=true')
  const history = await client.json('GET', `/v2/runs?limit=1&procedure_ids=${PROCEDURES.other}`)
  return {
    ...page,
    ids: page.data.map(({ id }) => id),
    units: page.data.map(({ unit }) => unit.serial_number),
    groups: page.data.map(({ metadata }) => metadata.group),
    broken: history.data[0].id,
  }
}

/** The page for the next round's cursor: the one before when there is none after this one. */
function keepPage(text, last) {
  const page = JSON.parse(text)
  return page.meta?.next_cursor ? page : { meta: last.meta, data: page.data }
}

function summarize({ name, target, isAlike = true }, { large, small }, longestWaitMs) {
  const [p50, p95, max] = [median(large), percentile(large, 0.95), Math.max(...large)]
  const factor = p50 / median(small)
  const show = (ms) => ms.toFixed(1).padStart(8)
  console.log(
    `  ${name.padEnd(34)} p50 ${show(p50)}  p95 ${show(p95)}  max ${show(max)} ms  × ${factor.toFixed(2)}  others ≤ ${show(longestWaitMs)} ms`,
  )
  return [
    { name: `${name}: p95`, target, value: p95, unit: 'ms', digits: 1 },
    ...(isAlike
      ? [{ name: `${name}: median, many runs / a tenth`, target: 2, value: factor, unit: '' }]
      : []),
    { name: `${name}: longest wait of others`, target: 100, value: longestWaitMs, unit: 'ms', digits: 0 },
  ]
}
