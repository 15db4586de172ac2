// What the pages of the history read, each with its address for a round number.
import { createClient } from './service-client.mjs'
import { TAGS, WORDS } from './history-world.mjs'
import { TARGET_MS, timeReads } from './time-reads.mjs'

const tests = (name, query) => ({ name: `tests ${name}`, path: () => `/v2/tests?${query}` })
const pick = (list, round) => list[round % list.length]
const encode = encodeURIComponent

const OPERATIONS = [
  { name: 'home', path: () => '/v2/home' },
  { name: 'builds', path: () => '/v2/builds' },
  { name: 'builds of main', path: () => '/v2/builds?branches=main' },
  { name: 'builds, next page', path: (_round, known) => `/v2/builds?cursor=${known.cursor}` },
  { name: 'builds that failed', path: () => '/v2/builds?states=failed' },
  { name: 'builds of a package', path: (round) => `/v2/builds?procedure_ids=package-${round % 10}` },
  { name: 'builds of an author', path: (_round, known) => `/v2/builds?authors=${encode(known.author)}` },
  { name: 'builds of a commit', path: (round, known) => `/v2/builds?commits=${pick(known.commits, round)}` },
  { name: 'one build', path: (round, known) => `/v2/builds/${pick(known.groups, round)}` },
  { name: 'its tests', path: (round, known) => `/v2/builds/${pick(known.groups, round)}/tests` },
  {
    name: 'its failed tests, slowest first',
    path: (round, known) =>
      `/v2/builds/${pick(known.groups, round)}/tests?outcomes=failed&sort_by=duration&sort_order=desc`,
  },
  {
    name: 'comparison of builds',
    path: (round, known) =>
      `/v2/comparison?base=${pick(known.groups, round)}&head=${pick(known.groups, round + 4)}`,
  },
  {
    name: 'comparison of branches',
    path: (_round, known) => `/v2/comparison?base_branch=main&head_branch=${encode(known.branch)}`,
  },
  ...['flaky', 'failing', 'slow', 'slower', 'cost', 'name'].map((sort) =>
    tests(`by ${sort}`, `sort_by=${sort}&sort_order=${sort === 'name' ? 'asc' : 'desc'}`),
  ),
  tests('of main', 'branch=main'),
  tests('of 90 days', 'days=90'),
  tests('of a package', 'procedure_ids=package-3'),
  tests('of a project', 'projects=chromium'),
  tests('of a file', `files=${encode(`packages/package-3/test/${WORDS[3]}.test.ts`)}`),
  tests('of an owner', `owners=${encode('@shop/search')}`),
  tests('with a tag', `tags=${TAGS[0]}`),
  tests('that are broken', 'states=broken'),
  tests('with a text', 'search_query=voucher'),
  { name: 'one test', path: (round, known) => `/v2/tests/${pick(known.tests, round)}` },
  { name: 'one test on main', path: (round, known) => `/v2/tests/${pick(known.tests, round)}?branch=main` },
  { name: 'errors', path: () => '/v2/errors' },
  { name: 'errors by count', path: () => '/v2/errors?sort_by=count' },
  { name: 'errors by tests', path: () => '/v2/errors?sort_by=tests' },
  { name: 'errors of a package', path: (round) => `/v2/errors?procedure_ids=package-${round % 10}` },
  {
    name: 'errors of a day',
    path: () => `/v2/errors?started_after=${new Date(Date.now() - 86_400_000).toISOString()}`,
  },
  { name: 'errors with a text', path: (round) => `/v2/errors?search_query=${pick(WORDS, round)}` },
  { name: 'one error', path: (round, known) => `/v2/errors/${pick(known.errors, round)}` },
  { name: 'search for a word', path: (round) => `/v2/search?query=${pick(WORDS, round)}` },
  {
    name: 'search for a commit',
    path: (round, known) => `/v2/search?query=${pick(known.commits, round).slice(0, 10)}`,
  },
  { name: 'search for a branch', path: () => '/v2/search?query=DEV-10' },
  {
    name: 'search for two letters',
    path: (round) => `/v2/search?query=${pick(['ca', 'in', 'se', 'pa'], round)}`,
  },
  { name: 'search without a hit', path: (round) => `/v2/search?query=no-such-${round}` },
]

/** Times the operations of the history; `only` and `rounds` as of `timeReads`. */
export async function timeOperations({ variables }, options) {
  const client = createClient(variables)
  const times = await timeReads(client, OPERATIONS, { ...options, known: await readKnown(client) })
  await client.close()
  return times
}

/** Builds, tests and errors to ask for. */
async function readKnown(client) {
  const builds = await client.json('GET', '/v2/builds?limit=40')
  const all = [...(await client.json('GET', `/v2/builds?limit=40&cursor=${builds.meta.next_cursor}`)).data]
  const flaky = await client.json('GET', '/v2/tests?sort_by=flaky&sort_order=desc&limit=10')
  const others = await client.json('GET', '/v2/tests?sort_by=slow&limit=10')
  const often = await client.json('GET', '/v2/errors?sort_by=count&limit=5')
  const errors = await client.json('GET', '/v2/errors?limit=5')
  const ofBranch = all.find(({ branch }) => branch !== 'main')
  return {
    cursor: builds.meta.next_cursor,
    groups: all.map(({ group }) => group),
    commits: all.map(({ commit }) => commit),
    author: all[0].author,
    branch: ofBranch.branch,
    tests: [...flaky.data, ...others.data].map(({ id }) => id),
    errors: [...often.data, ...errors.data].map(({ fingerprint }) => fingerprint),
  }
}

/** What the operations may take, and how much more with many runs than with a tenth of them. */
export function concludeReads(large, small) {
  return [...large].flatMap(([name, { p50, p95 }]) => [
    { name: `${name}: p95`, target: TARGET_MS, value: p95, unit: 'ms', digits: 1 },
    {
      name: `${name}: median, many runs / a tenth`,
      target: 2,
      value: p50 / (small.get(name)?.p50 ?? p50),
      unit: '',
    },
  ])
}
