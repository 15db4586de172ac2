// Runs of 20 tests, created over HTTP: by clients that go on while others read, and with the history against without it.
import { randomUUID } from 'node:crypto'
import { median } from './measure.mjs'
import { createClient } from './service-client.mjs'
import { WORDS } from './history-world.mjs'
import { readCpuMs } from './start-service.mjs'

const CLIENTS = 4
const STEPS = 20
const ROUNDS = 7
const RUNS_IN_A_ROUND = 400

/** Creates runs until it is stopped; `stop` tells how many. */
export function startCreating({ variables }) {
  const client = createClient(variables, CLIENTS)
  let count = 0
  const stopping = new AbortController()
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!stopping.signal.aborted) await client.json('POST', '/v1/runs', makeRequest((count += 1)))
  })
  // Awaited by `stop`.
  for (const one of clients) one.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      await Promise.all(clients)
      await client.close()
      return count
    },
  }
}

/**
 * What the history costs creation: the same requests, half of them with their variables of build, branch and commit under names
 * that the history does not know. By CPU time of the service, which other processes do not change.
 */
export async function measureHistoryCost(service) {
  const client = createClient(service.variables, CLIENTS)
  const create = async (hasHistory) => {
    const [cpuMs, startedAt] = [readCpuMs(service.pid), performance.now()]
    let next = 0
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (next < RUNS_IN_A_ROUND)
          await client.json('POST', '/v1/runs', makeRequest((next += 1), hasHistory))
      }),
    )
    return {
      cpu: (readCpuMs(service.pid) - cpuMs) / RUNS_IN_A_ROUND,
      wall: (performance.now() - startedAt) / RUNS_IN_A_ROUND,
    }
  }
  await create(true)
  await create(false)
  const [with_, without] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    with_.push(await create(true))
    without.push(await create(false))
  }
  await client.close()
  const of = (rounds, name) => median(rounds.map((round) => round[name]))
  const show = (rounds) =>
    `${of(rounds, 'cpu').toFixed(2)} ms of CPU time, ${of(rounds, 'wall').toFixed(2)} ms`
  console.log(`  a run of ${STEPS} tests with its history: ${show(with_)}; without: ${show(without)}`)
  return {
    name: 'creation: CPU time with the history / without',
    target: 1 / 0.85,
    value: of(with_, 'cpu') / of(without, 'cpu'),
    unit: '',
  }
}

const RUNS_OF_A_GROUP = 125
const started = Date.now()

function makeRequest(number, hasHistory = true) {
  const startedAt = new Date(Date.now() - 60_000).toISOString()
  const build = Math.floor(number / RUNS_OF_A_GROUP)
  const file = number % WORDS.length
  const known = (name) => (hasHistory ? name : `other_${name}`)
  const path = `packages/package-3/test/${WORDS[file]}.test.ts`
  return {
    procedure_id: 'package-3',
    unit_under_test: { serial_number: 'package-3@1.0.0', part_number: 'package-3', revision: '1' },
    run_passed: true,
    started_at: startedAt,
    duration: 'PT3S',
    steps: Array.from({ length: STEPS }, (_, place) => ({
      name: `${WORDS[file]} › ${WORDS[(file + place) % WORDS.length]} › keeps ${WORDS[place]} in case ${place}`,
      kind: 'test',
      step_passed: true,
      started_at: startedAt,
      duration: `PT0.0${10 + ((number + place) % 80)}S`,
      location: { file: path, line: 10 + 8 * place },
    })),
    report_variables: {
      framework: 'vitest',
      framework_version: '4.1.2',
      file: path,
      tests_passed: String(STEPS),
      tests_failed: '0',
      node: 'v22.13.0',
      os: 'linux 6.8.0-45-generic x64',
      ci: 'github',
      [known('ci_build_url')]: `https://ci.example.test/shop/actions/runs/${started + build}`,
      [known('repository')]: 'shop/repository-0',
      [known('git_branch')]: 'main',
      [known('git_commit')]: `${started + build}`.padStart(40, 'c0ffee'),
      [known('group')]: `made-${started}-${build}`,
      submission_id: randomUUID(),
    },
  }
}
