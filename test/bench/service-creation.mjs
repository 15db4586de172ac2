// Run creation over HTTP against the bare driver with the same rows, schema and syncs.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { median } from './measure.mjs'
import { createClient } from './service-client.mjs'

const ROUNDS = 5
const RUNS_IN_A_ROUND = 60
const CONNECTIONS = 4
const STEPS = 200

/** @param {import('./service.mjs').FilledService} service @param {string} folder for what is handed to the driver's process */
export async function measureCreation(service, probe, folder) {
  const client = createClient(service.variables, CONNECTIONS)
  const create = (number) =>
    client.json('POST', '/v1/runs', makeRequest(service.variables.RUNLEDGER_PROCEDURE_ID, number))
  for (let number = 0; number < 20; number += 1) await create(number)
  const copy = await service.records.copy('bare')
  // PostgreSQL copies a database that nobody is connected to: connections are made again, which no round should measure.
  await createAll(create, 0)
  const [ratios, waits] = [[], []]
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { result: created, longestWaitMs } = await probe.measure(() => createAll(create, round))
    const bare = (await probe.measure(async () => insertAll(service, copy, created.ids, folder))).result
    const overHttp = RUNS_IN_A_ROUND / created.seconds
    ratios.push(overHttp / bare)
    waits.push(longestWaitMs)
    console.log(
      `  ${overHttp.toFixed(0)} runs/s over HTTP, ${bare.toFixed(0)} by the driver; others ≤ ${longestWaitMs.toFixed(0)} ms`,
    )
  }
  await client.close()
  return [
    {
      name: `runs of ${STEPS} steps: HTTP / bare driver`,
      target: 0.5,
      isLeast: true,
      value: median(ratios),
      unit: '',
    },
    {
      name: 'run creation: longest wait of others',
      target: 100,
      value: Math.max(...waits),
      unit: 'ms',
      digits: 0,
    },
  ]
}

async function createAll(create, round) {
  const startedAt = performance.now()
  const ids = []
  let next = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; next < RUNS_IN_A_ROUND;) ids.push((await create(round * RUNS_IN_A_ROUND + next++)).id)
    }),
  )
  return { ids, seconds: (performance.now() - startedAt) / 1000 }
}

/** In a process of its own, as the service is. Returns runs a second. */
function insertAll({ records }, copy, ids, folder) {
  const list = path.join(folder, 'ids.json')
  writeFileSync(list, JSON.stringify(ids))
  const script = path.join(import.meta.dirname, records.bareScript)
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, records.address, copy, list])
  if (status !== 0) throw new Error(String(stderr))
  return Number(stdout)
}

/** A run of 200 steps, as a reporter sends it. */
export function makeRequest(procedureId, number) {
  const startedAt = new Date(Date.now() - 60_000).toISOString()
  const step = (index) => ({
    name: `suite › works in case ${index}`,
    step_passed: true,
    started_at: startedAt,
    duration: 'PT0.25S',
    ...(index % 10 === 0
      ? { measurement_value: 3.3 + index / 1000, measurement_unit: 'V', limit_low: 3, limit_high: 4 }
      : {}),
  })
  return {
    procedure_id: procedureId,
    unit_under_test: { serial_number: `MADE-${number % 20}`, part_number: 'MADE', revision: 'A' },
    run_passed: true,
    started_at: startedAt,
    duration: 'PT50S',
    steps: Array.from({ length: STEPS }, (_, index) => step(index)),
    report_variables: {
      framework: 'vitest',
      framework_version: '4.1.2',
      project: 'api',
      file: `test/suite-${number % 300}.test.ts`,
      tests_passed: String(STEPS),
      tests_failed: '0',
      node: 'v22.13.0',
      os: 'linux 6.8.0-45-generic x64',
      ci: 'github',
      ci_build_url: `https://ci.example.test/acme/device/actions/runs/${number >> 4}`,
      git_branch: 'main',
      git_commit: `${number >> 4}`.padStart(40, 'c0ffee'),
      group: `ci-${`${number >> 4}`.padStart(24, 'abc')}`,
      submission_id: `submission-${number}`,
    },
  }
}
