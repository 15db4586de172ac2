import { PROCEDURES } from '../../bench/service-fill.mjs'
import { openRecords } from '../../bench/service-records.mjs'
import { atOnce, send, sleep } from '../client.mjs'
import { createRun, createStep, list } from './bodies.mjs'

/** @type {Record<string, import('./index.mjs').Attack>} */
export const DATABASE_ATTACKS = {
  'failing-searches': {
    about: 'twenty tabs that search for what is not there',
    run: searchInVain,
    isFilled: true,
  },
  'many-errors': {
    about:
      'runs with as many errors and tags as are taken, and errors as long as they are kept, their Markdown too',
    run: sendManyErrors,
  },
  'many-failures': {
    about: 'runs of ten thousand failed tests each, and many who ask which of the failures are new',
    run: askForVerdicts,
  },
  'large-deletion': {
    about: 'deletion of a procedure with all its runs',
    run: deleteProcedure,
    isFilled: true,
  },
}

const SLOW_MS = 1_000

async function searchInVain({ target, claim, claimFast, isSmall }) {
  const seconds = isSmall ? 5 : 20
  const until = performance.now() + seconds * 1_000
  const took = []
  await atOnce(20, async (tab) => {
    await sleep(tab * 50)
    while (performance.now() < until) {
      const { status, ms } = await send(target, 'GET', `/v2/runs?search_query=nowhere-${tab}-${took.length}`)
      claim(status === 200 || status === 503, `a search was answered ${status}`)
      took.push(ms)
      await sleep(1_000)
    }
  })
  const slow = Math.max(...took)
  claimFast(slow, SLOW_MS, 'a search')
  return `${took.length} searches, the slowest ${slow.toFixed(0)} ms`
}

/** Nothing is wrong with them: they are stored, read and listed, and nobody else may wait for it. */
async function sendManyErrors({ target, claim, isSmall }) {
  const count = isSmall ? 50 : 500
  const steps = (length, make) =>
    Array.from({ length }, (_, step) =>
      createStep({ name: `step ${step}`, step_passed: false, ...make(step) }),
    )
  const texts = (length, step) =>
    Array.from({ length }, (_, index) => `${'abcdefghijklmnopqrst'[index]} ${step}`)
  const failed = (step) => texts(20, step).map((message) => ({ message }))
  const long = (step, kib) => `${step} ${'x'.repeat(kib * 1024)}`
  const longest = (step) => ({ message: long(step, 8), stack: long(step, 32), diff: long(step, 32) })
  // Of as many lines as are compared with each other.
  const lines = (text) => Array.from({ length: 400 }, (_, line) => `${text} ${line}`).join('\n')
  const unequal = (step) => ({ message: `${step}`, expected: lines('a'), actual: lines('b') })
  const runs = [
    steps(count, (step) => ({ errors: failed(step) })),
    steps(count, () => ({ errors: failed(0) })),
    steps(count, (step) => ({ tags: texts(20, step) })),
    steps(Math.floor(count / 5), (step) => ({ error: longest(step) })),
    // 100 of them are 5.4 MB of the 8 MiB that a body may have.
    steps(Math.floor(count / 5), (step) => ({ errors: Array.from({ length: 10 }, () => unequal(step)) })),
  ]
  const answers = []
  for (const run of runs) {
    const body = JSON.stringify(createRun(target, { run_passed: false, steps: run }))
    const created = await send(target, 'POST', '/v1/runs', body, { timeoutMs: 120_000 })
    const read = await send(target, 'GET', `/v2/runs/${created.json?.id}`, undefined, { timeoutMs: 120_000 })
    claim(
      read.json?.phases?.length === run.length,
      `a run of ${run.length} steps was answered ${read.status}`,
    )
    const errors = await send(target, 'GET', '/v2/errors?search_query=xxx')
    const pages = Array.from({ length: 10 }, () => send(target, 'GET', `/runs/${created.json?.id}.md`))
    answers.push(created, read, errors, ...(await Promise.all(pages)))
  }
  claim(
    answers.every(({ status }) => status === 200),
    `they were answered ${list(answers)}`,
  )
  return `${runs.length} runs of up to ${count * 20} errors or tags, read and searched: ${list(answers)}`
}

const MOST_VERDICTS = 300

async function askForVerdicts({ target, claim, claimFast, isSmall }) {
  const count = isSmall ? 1_000 : 10_000
  const steps = Array.from({ length: count }, (_, step) =>
    createStep({ name: `fails ${step}`, step_passed: false }),
  )
  const body = JSON.stringify(
    createRun(target, { run_passed: false, steps, report_variables: { group: 'many-failures' } }),
  )
  for (let times = 0; times < 10; times += 1) {
    const { status } = await send(target, 'POST', '/v1/runs', body, { timeoutMs: 120_000 })
    claim(status === 200, `such a run was answered ${status}`)
  }
  const took = []
  await atOnce(20, async () => {
    const { status, json, ms } = await send(target, 'GET', '/v2/verdicts?group=many-failures')
    claim(
      status === 503 || (status === 200 && json?.data?.length === MOST_VERDICTS),
      `verdicts were answered ${status} with ${json?.data?.length}`,
    )
    took.push(ms)
  })
  const { ms, json } = await send(target, 'GET', '/v2/verdicts?group=many-failures')
  claim(json?.more_failures === 10 * count - MOST_VERDICTS, `${json?.more_failures} failures were left out`)
  claimFast(ms, SLOW_MS, 'verdicts on ten such runs')
  return `10 runs of ${count} failures, verdicts in ${ms.toFixed(0)} ms, ${took.length} at once in ${Math.max(...took).toFixed(0)} ms`
}

async function deleteProcedure({ target, claim, claimFast }) {
  const records = await openRecords({ data: target.dataDir, url: target.databaseUrl })
  const find = `SELECT id FROM procedures WHERE identifier = '${PROCEDURES.bulk}'`
  const deletion = send(target, 'DELETE', `/v2/procedures/${PROCEDURES.bulk}`)
  const startedAt = performance.now()
  const reads = []
  do {
    await sleep(50)
    const { ms } = await send(target, 'GET', '/v2/runs?limit=10')
    reads.push(ms)
  } while ((await records.select(find)).length > 0)
  const seconds = (performance.now() - startedAt) / 1000
  await records.close()
  const { status, ms } = await deletion
  claim(status === 200, `the deletion was answered ${status}`)
  const slow = Math.max(...reads)
  claimFast(slow, SLOW_MS, 'a list of runs meanwhile')
  return `answered after ${(ms / 1000).toFixed(1)} s, all gone after ${seconds.toFixed(0)} s; the slowest of ${reads.length} lists meanwhile ${slow.toFixed(0)} ms`
}
