import { ask, atOnce, connect, pour, send, sleep } from '../client.mjs'

const MIB = 1024 * 1024
const REFUSED_MS = 200
const JSON_HEADERS = { 'content-type': 'application/json' }

/** @type {Record<string, import('./index.mjs').Attack>} */
export const BODY_ATTACKS = {
  'unauthenticated-bodies': { about: 'large bodies from somebody without a key', run: sendUnauthenticated },
  'slow-bodies': {
    about: 'bodies that come one byte at a time, and never end',
    run: sendSlowly,
    onlyWaits: true,
  },
  digits: { about: 'a measured value of very many digits that is no number', run: sendDigits },
  'wrong-values': { about: 'a million wrong values in one body', run: sendWrongValues },
  'deep-json': { about: 'lists in lists in lists, and millions of empty ones', run: sendDeepJson },
  'large-runs': {
    about: 'the largest runs that are taken, one after another, and read by many who do not take them',
    run: sendLargeRuns,
  },
  'many-large-bodies': { about: 'many large bodies at once from somebody with a key', run: sendManyLarge },
}

/** A run as the lenient path takes it. */
export function createRun({ procedureId }, change = {}) {
  const unit_under_test = { serial_number: 'ATTACKED-1', part_number: 'LAMP' }
  return { procedure_id: procedureId, unit_under_test, run_passed: true, duration: 'PT1S', ...change }
}

export function createStep(change = {}) {
  return {
    name: 'step',
    step_passed: true,
    started_at: '2026-11-20T09:00:00.000Z',
    duration: 'PT1S',
    ...change,
  }
}

const MOST_GROWTH_MIB = 64

/** For some ten seconds: what others wait for in less says more of the first requests than of the attack. */
const WAVES = 4

/** So many at once, and again when they are over. @returns {Promise<import('../client.mjs').Answer[]>} of all of them */
async function inWaves(isSmall, count, work) {
  const answers = []
  for (let wave = 0; wave < (isSmall ? 1 : WAVES); wave += 1) answers.push(...(await atOnce(count, work)))
  return answers
}

// The service reads on, for a while, what it has refused, so that its client hears of it: what counts is what it holds.
async function sendUnauthenticated({ target, claim, isSmall }) {
  const bytes = (isSmall ? 20 : 60) * MIB
  const count = isSmall ? 10 : 40
  const asks = [
    ['POST', '/session', { 'content-length': bytes }],
    ['POST', '/session', { 'transfer-encoding': 'chunked' }],
    ['POST', '/v1/runs', { 'content-length': bytes, authorization: 'Bearer rl_user_none' }],
    ['DELETE', '/session', { 'content-length': bytes }],
  ]
  const answers = []
  const before = await target.peakMemoryMib()
  for (const [method, path, headers] of asks) {
    const all = await inWaves(isSmall, count, () =>
      ask(target.url + path, {
        method,
        headers: { ...JSON_HEADERS, ...headers },
        body: pour(bytes),
        timeoutMs: 60_000,
      }),
    )
    answers.push(`${method} ${path} ${list(all)}`)
    if (method === 'POST')
      claim(
        all.every(({ status }) => status === 0 || status >= 400),
        `${path} took a body: ${list(all)}`,
      )
  }
  const grown = (await target.peakMemoryMib()) - before
  claim(!(grown > MOST_GROWTH_MIB), `the service grew by ${grown.toFixed(0)} MiB`)
  return `${count} bodies of ${bytes / MIB} MiB each: ${answers.join('; ')}; the service grew by ${grown.toFixed(0)} MiB`
}

/** Within this the bodies are given up that nobody has a use for; all others take longer than --small has. */
const USELESS_SECONDS = 16

async function sendSlowly({ target, claim, claimFast, isSmall }) {
  const count = 200
  const seconds = isSmall ? USELESS_SECONDS : 90
  const heads = [
    'POST /session HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{',
    `POST /v1/runs HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${target.apiKey}\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n{`,
    'DELETE /session HTTP/1.1\r\nhost: a\r\ncontent-length: 4000\r\n\r\n',
  ]
  const connections = Array.from({ length: count }, (_, index) => {
    const socket = connect(target)
    socket.write(heads[index % heads.length])
    const timer = setInterval(() => socket.write(' '), 1_000)
    socket.once('close', () => clearInterval(timer))
    return socket
  })
  await sleep(2_000)
  const answer = await ask(`${target.url}/healthz`)
  claim(answer.status === 200, `a new client was answered ${answer.status}`)
  claimFast(answer.ms, 1_000, 'the request of a new client')
  await sleep(seconds * 1_000 - 2_000)
  const judged = isSmall ? connections.filter((_, index) => index % heads.length === 2) : connections
  const left = judged.filter(({ closed }) => !closed).length
  claim(left === 0, `${left} of ${judged.length} were still waited for after ${seconds} s`)
  for (const socket of connections) socket.destroy()
  const rest = isSmall ? '; for the others --small has no time' : ''
  return `${count} bodies, a byte a second; after ${seconds} s ${left} of ${judged.length} were still waited for${rest}`
}

async function sendDigits({ target, claim, claimFast, isSmall }) {
  const took = []
  for (const digits of isSmall ? [60_000] : [60_000, 1_000_000]) {
    for (const text of [`${'1'.repeat(digits)}x`, `${' '.repeat(digits)}x`, `1e${'1'.repeat(digits)}x`]) {
      const steps = [createStep({ measurement_value: text, limit_low: text })]
      const { status, ms } = await send(target, 'POST', '/v1/runs', createRun(target, { steps }))
      claim(status === 400, `${digits} digits were answered ${status}`)
      claimFast(ms, REFUSED_MS, `${digits} digits`)
      took.push(ms)
    }
  }
  return `the slowest answer took ${Math.max(...took).toFixed(0)} ms`
}

async function sendWrongValues({ target, claim, claimFast, isSmall }) {
  const count = isSmall ? 200_000 : 1_000_000
  const wrong = (value) => `[${Array(count).fill(value).join(',')}]`
  const names = Array.from({ length: count }, (_, index) => `"${index}":{}`).join(',')
  const run = JSON.stringify(createRun(target)).slice(0, -1)
  const phase =
    '{"name":"a","outcome":"PASS","started_at":"2026-11-20T09:00:00Z","ended_at":"2026-11-20T09:00:00Z","measurements"'
  const bodies = {
    'attachments of numbers': ['/v1/runs', `${run},"attachments":${wrong('1')}}`],
    'attachments of NUL': ['/v1/runs', `${run},"attachments":${wrong('"\\u0000"')}}`],
    'steps of numbers': ['/v1/runs', `${run},"steps":${wrong('1')}}`],
    'steps of {}': ['/v1/runs', `${run},"steps":${wrong('{}')}}`],
    'sub-units without number': ['/v1/runs/create', `${run},"sub_units":${wrong('{"serial_number":""}')}}`],
    'report variables': ['/v1/runs', `${run},"report_variables":{${names}}}`],
    measurements: ['/v2/runs', `{"phases":[${phase}:${wrong('{}')}}]}`],
    'phases of texts': ['/v2/runs', `{"phases":${wrong('""')},"logs":${wrong('1')}}`],
  }
  const took = []
  for (const [what, [path, body]] of Object.entries(bodies)) {
    const { status, ms, json } = await send(target, 'POST', path, body, { timeoutMs: 60_000 })
    claim(status === 400 || status === 413, `${what} were answered ${status}`)
    claimFast(ms, REFUSED_MS, what)
    claim((json?.issues?.length ?? 0) <= 50, `${what} were answered ${json?.issues?.length} issues`)
    took.push(`${what} ${status} in ${ms.toFixed(0)} ms`)
    await sleep(500)
  }
  return `${count} of each: ${took.join(', ')}`
}

async function sendDeepJson({ target, claim, isSmall }) {
  const bytes = (isSmall ? 4 : 60) * MIB
  const run = JSON.stringify(createRun(target)).slice(0, -1)
  const bodies = [
    '['.repeat(bytes),
    `${run},"steps":[${'{},'.repeat(bytes / 3)}{}]}`,
    `${run},"steps":[${'[],'.repeat(100_000)}[]]}`,
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `${run},"report_variables":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
  ]
  const answers = []
  for (const body of bodies) answers.push(await send(target, 'POST', '/v1/runs', body, { timeoutMs: 60_000 }))
  claim(
    answers.every(({ status }) => status === 400 || status === 413),
    `they were answered ${list(answers)}`,
  )
  return `${bodies.length} bodies: ${list(answers)}`
}

// With a key, and nothing is wrong with them: they are stored, and nobody else may wait for it.
async function sendLargeRuns({ target, claim, isSmall }) {
  const step = createStep({
    name: 'the voltage of one rail of the lamp',
    measurement_value: 3.3,
    limit_low: 3,
    limit_high: 3.5,
  })
  const largest = (isSmall ? 2 : 8) * MIB
  const count = Math.floor(largest / (JSON.stringify(step).length + 8)) - 10
  const steps = Array.from({ length: count }, (_, index) => ({
    ...step,
    name: `${step.name} ${index % 500}`,
  }))
  const body = JSON.stringify(createRun(target, { steps }))
  const answers = []
  for (let times = 0; times < 3; times += 1)
    answers.push(await send(target, 'POST', '/v1/runs', body, { timeoutMs: 120_000 }))
  claim(
    answers.every(({ status }) => status === 200),
    `they were answered ${list(answers)}`,
  )
  const ids = answers.map(({ json }) => json?.id)
  const read = await readLargeRuns({ target, claim, ids, count })
  return `${answers.length} runs of ${(body.length / MIB).toFixed(1)} MiB, ${count} steps each: ${list(answers)}; ${read}`
}

const UNREAD = 6

/** Some take nothing of what they ask for; beside them others read all of it, several at a time. */
async function readLargeRuns({ target, claim, ids, count }) {
  const paths = ids.flatMap((id) => [`/v2/runs/${id}`, '/v1/runs?serial_number=ATTACKED-1'])
  const unread = paths.slice(0, UNREAD).map((path) => {
    const socket = connect(target).pause()
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${target.apiKey}\r\n\r\n`)
    return socket
  })
  await sleep(1_000)
  const began = performance.now()
  const runs = await Promise.all(
    ids.map((id) => send(target, 'GET', `/v2/runs/${id}`, undefined, { timeoutMs: 120_000 })),
  )
  claim(
    runs.every(({ status, json }) => status === 200 && json?.phases?.length === count),
    `reading them was answered ${list(runs)}, with ${runs.map(({ json }) => json?.phases?.length).join(', ')} steps`,
  )
  const seconds = (performance.now() - began) / 1000
  const listed = await send(target, 'GET', '/v1/runs?serial_number=ATTACKED-1', undefined, {
    timeoutMs: 120_000,
  })
  claim(listed.json?.data?.[0]?.phases?.length === count, `the list of v1 was answered ${listed.status}`)
  for (const socket of unread) socket.destroy()
  return `${runs.length} of ${(runs[0].text.length / MIB).toFixed(0)} MiB read at once in ${seconds.toFixed(1)} s beside ${UNREAD} that nobody reads`
}

async function sendManyLarge({ target, claim, isSmall }) {
  const bytes = (isSmall ? 4 : 7) * MIB
  const count = isSmall ? 10 : 40
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${target.apiKey}`, 'content-length': bytes }
  const answers = await inWaves(isSmall, count, () =>
    ask(`${target.url}/v1/runs`, { method: 'POST', headers, body: pour(bytes), timeoutMs: 60_000 }),
  )
  claim(
    answers.every(({ status }) => status === 0 || status >= 400),
    `they were answered ${list(answers)}`,
  )
  return `${count} bodies of ${bytes / MIB} MiB at once: ${list(answers)}`
}

/** How often each status was answered. @param {{ status: number }[]} answers */
export function list(answers) {
  const counts = new Map()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} × ${status === 0 ? 'cut off' : status}`).join(', ')
}
