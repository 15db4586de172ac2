import { send } from '../client.mjs'
import { createRun, createStep, list } from './bodies.mjs'
import { createStation, readLists } from './budgets.mjs'

/** @type {Record<string, import('./index.mjs').Attack>} */
export const HISTORY_ATTACKS = {
  'long-history': {
    about: 'builds, tests and errors whose names are as long as they may be, and lists of them',
    run: sendLongNames,
  },
  'long-line': {
    about: 'runs of a line whose steps and measurements have long names, and statistics of them',
    run: measureLongNames,
  },
}

/** As long as a text may be, of three bytes a character. */
const longText = (start) => `${start} ${'長'.repeat(9_900)}`
const TESTS = 120

function createFailedRun(target, number) {
  const started_at = new Date().toISOString()
  const names = [
    'group',
    'git_commit',
    'git_commit_subject',
    'git_author',
    'repository',
    'ci_build_url',
    'os',
  ]
  return createRun(target, {
    started_at,
    run_passed: false,
    report_variables: {
      ...Object.fromEntries(names.map((name) => [name, longText(number)])),
      git_branch: 'main',
      file: longText('file'),
      project: longText('project'),
    },
    steps: Array.from({ length: TESTS }, (_, index) =>
      createStep({
        // Every second run has tests of its own, so that comparisons have them.
        name: longText(number % 2 === 0 ? index : `${number} ${index}`),
        kind: 'test',
        started_at,
        step_passed: false,
        // Errors whose messages differ only in numbers are the same.
        error: { message: longText(`message ${'x'.repeat(index)}`) },
      }),
    ),
  })
}

async function sendLongNames({ target, claim, claimFast, isSmall }) {
  const { key } = await createStation(target)
  const created = []
  for (let number = 0; number < (isSmall ? 6 : 30); number += 1) {
    const body = JSON.stringify(createFailedRun(target, number))
    created.push(await send(target, 'POST', '/v1/runs', body, { key, timeoutMs: 60_000 }))
  }
  claim(
    created.every(({ status }) => status === 200),
    `such runs were answered ${list(created)}`,
  )
  const { json: builds } = await send(target, 'GET', '/v2/builds?limit=2')
  const { json: tests } = await send(target, 'GET', '/v2/tests?limit=1')
  const [head, base] = builds.data.map(({ group }) => encodeURIComponent(group))
  const told = await readLists({ target, claim, claimFast }, [
    '/v2/home',
    '/v2/search?query=%E9%95%B7%E9%95%B7%E9%95%B7',
    '/v2/builds?limit=100',
    `/v2/builds/${head}`,
    `/v2/builds/${head}/tests?limit=100`,
    `/v2/comparison?base=${base}&head=${head}`,
    '/v2/tests?limit=100',
    `/v2/tests/${tests.data[0].id}`,
    '/v2/errors?limit=100',
  ])
  return `${created.length} runs: ${list(created)}; ${told.join(', ')}`
}

/** Steps and measurements of names of their own, and one that all runs have. */
function createRunOfLine(target, number) {
  const started_at = new Date().toISOString()
  const step = { started_at, step_passed: false, measurement_value: number, measurement_unit: 'V' }
  const names = Array.from({ length: TESTS }, (_, index) => longText(`${number} ${index}`))
  return createRun(target, {
    started_at,
    run_passed: false,
    procedure_version: `${number}`,
    unit_under_test: {
      serial_number: `ATTACKED-${number}`,
      part_number: 'LAMP',
      batch_number: `batch-${number}`,
    },
    steps: ['voltage', ...names].map((name) => createStep({ ...step, name })),
  })
}

async function measureLongNames({ target, claim, claimFast, isSmall }) {
  const { key } = await createStation(target)
  const created = []
  for (let number = 0; number < (isSmall ? 6 : 60); number += 1) {
    const body = JSON.stringify(createRunOfLine(target, number))
    created.push(await send(target, 'POST', '/v1/runs', body, { key, timeoutMs: 60_000 }))
  }
  const short = { steps: [createStep({ name: 'voltage', measurement_value: 1, measurement_unit: 'V' })] }
  for (let number = 0; number < (isSmall ? 100 : 500); number += 1) {
    const body = createRun(target, {
      ...short,
      started_at: new Date().toISOString(),
      procedure_version: '1',
    })
    created.push(await send(target, 'POST', '/v1/runs', body, { key }))
  }
  claim(
    created.every(({ status }) => status === 200),
    `such runs were answered ${list(created)}`,
  )
  const of = `procedure_id=${target.procedureId}`
  const told = await readLists({ target, claim, claimFast }, [
    '/v2/line/procedures',
    `/v2/line/failures?${of}`,
    `/v2/line/yields?${of}&by=version`,
    `/v2/line/yields?${of}&by=batch`,
    `/v2/line/measurement?${of}&phase=voltage`,
    `/v2/line/gauge?${of}&phase=voltage`,
    '/v2/line/unit?serial_number=ATTACKED-1',
    '/v2/home',
  ])
  return `${created.length} runs: ${list(created)}; ${told.join(', ')}`
}
