// The rows of one run in a filled data folder, as a run that a reporter sends is stored.
import { createHash } from 'node:crypto'
import { createRandom, digestOf, makeUuid } from './service-random.mjs'

const EPOCH_2025_MS = Date.UTC(2025, 0, 1)
const KEYS_PER_MS = 2048
const SECONDS_BETWEEN_RUNS = 20
const STEPS_PER_MEASUREMENT = 10
const RUNS_PER_EXECUTION = 20
/** The outcome that few of the oldest runs have. */
export const RARE_OUTCOME = 'ABORTED'
const RARE_RUNS = 20
/** The runs of one procedure are all of this file and of the default branch, and all tests fail in the later half of them. */
const HISTORY_FILE = 'packages/module-0/test/for-years.test.ts'

/**
 * Makes the rows of run number `index` of `count`, the oldest first, and the bytes of its attachments.
 * @param {import('./service-fill.mjs').World} world
 */
export function makeRun(world, index) {
  const random = createRandom(world.seed, index)
  const procedure = world.procedureOf(index)
  const startedMs = world.endMs - (world.count - index) * SECONDS_BETWEEN_RUNS * 1000
  const durationMs = 5_000 + random.below(50_000)
  const createdMs = startedMs + durationMs
  let key = (createdMs - EPOCH_2025_MS) * KEYS_PER_MS
  const nextKey = () => (key += 1)
  const id = nextKey()
  const unit = world.units[random.below(world.units.length)]
  const { isHistory } = procedure
  const isBroken = isHistory && index > world.count / 2
  const outcome = isBroken ? 'FAIL' : outcomeOf(world, index, random)
  const rows = {
    runs: [
      {
        id,
        public_id: makeUuid(world.seed, `run ${index}`),
        procedure_id: procedure.id,
        unit_id: unit.id,
        revision_id: unit.revision_id,
        outcome,
        started_at_us: startedMs * 1000,
        ended_at_us: createdMs * 1000,
        duration_us: durationMs * 1000,
        first_phase_at_us: startedMs * 1000,
        last_phase_at_us: (startedMs + (world.steps - 1) * Math.floor(durationMs / world.steps)) * 1000,
        created_at_us: createdMs * 1000,
        created_by_user_id: world.userId,
      },
    ],
    ...makeSteps(world, { id, procedure, startedMs, durationMs, outcome, isBroken, random, nextKey }),
    ...makeMetadataRows(world, id, makeMetadata(world, { index, isHistory, random })),
  }
  return { ...rows, ...makeAttachments(world, { index, id, createdMs, nextKey }) }
}

/** Each entry is stored once, for all runs that have it. */
function makeMetadataRows({ metadataValues }, runId, entries) {
  const metadata_values = []
  const run_metadata = entries.map(([name, value], position) => {
    const digest = digestOf(`${name}\0${value}`)
    let valueId = metadataValues.get(digest)
    if (valueId === undefined) {
      valueId = 2_000_000 + metadataValues.size
      metadataValues.set(digest, valueId)
      metadata_values.push({ id: valueId, name, digest, text_value: value, value_type: 'string' })
    }
    return { run_id: runId, position, value_id: valueId }
  })
  return { metadata_values, run_metadata }
}

function outcomeOf(world, index, random) {
  if (index < world.count / 10 && index % Math.ceil(world.count / 10 / RARE_RUNS) === 0) return RARE_OUTCOME
  const share = random.below(1000)
  if (share < 80) return 'FAIL'
  if (share < 90) return 'ERROR'
  return share < 92 ? 'TIMEOUT' : 'PASS'
}

function makeSteps(world, { id, procedure, startedMs, durationMs, outcome, isBroken, random, nextKey }) {
  const phases = []
  const measurements = []
  const errors = { error_groups: [], errors: [], phase_errors: [] }
  const stepMs = Math.floor(durationMs / world.steps)
  for (let step = 0; step < world.steps; step += 1) {
    const phaseId = nextKey()
    const failed = isBroken || (outcome !== 'PASS' && step === world.steps - 1)
    const isFlaky = !failed && step === 0 && random.below(FLAKY_RUNS) === 0
    phases.push({
      run_id: id,
      id: phaseId,
      definition_id: procedure.phaseNames[step],
      outcome: failed ? 'FAIL' : 'PASS',
      started_at_us: (startedMs + step * stepMs) * 1000,
      duration_us: random.below(stepMs * 1000),
      retry_count: isFlaky ? 1 : 0,
    })
    const count = failed && !isBroken ? 1 + random.below(MAX_ERRORS) : Number(isFlaky)
    for (let position = 0; position < count; position += 1)
      addError(world, errors, {
        run_id: id,
        phase_id: phaseId,
        attempt: 0,
        position,
        definition_id: procedure.phaseNames[step],
        random,
      })
    if (step % STEPS_PER_MEASUREMENT !== 0) continue
    measurements.push({
      run_id: id,
      id: nextKey(),
      phase_id: phaseId,
      definition_id: procedure.measurementNames[step],
      outcome: 'PASS',
      number_value: 3 + random.below(1000) / 1000,
      limit_low: 2.5,
      limit_high: 4.5,
    })
  }
  return { phases, measurements, ...errors }
}

const WORDS = [
  'button',
  'invoice',
  'sensor',
  'voltage',
  'session',
  'firmware',
  'basket',
  'gateway',
  'relay',
  'user',
]
const GROUPS = 500
const ERRORS_OF_GROUP = 40
const MAX_ERRORS = 3
/** One of so many passing runs passed on a retry. */
const FLAKY_RUNS = 5

/** Each error is stored once, under its fingerprint; most errors are among the same few. */
function addError(world, { error_groups, errors, phase_errors }, { random, ...row }) {
  const group = Math.floor(GROUPS * (random.below(1000) / 1000) ** 3)
  const text = makeErrorText(group, random.below(ERRORS_OF_GROUP))
  const groupId = 3_000_000 + group
  let errorId = world.errors.get(text)
  if (errorId === undefined) {
    if (!world.errorGroups.has(group))
      error_groups.push({ id: groupId, fingerprint: `${group}`.padStart(64, 'e') })
    world.errorGroups.add(group)
    errorId = 4_000_000 + world.errors.size
    world.errors.set(text, errorId)
    errors.push({
      id: errorId,
      group_id: groupId,
      digest: digestOf(text),
      text_length: text.length + makeStack(group).length,
      message: text,
      stack: makeStack(group),
    })
  }
  phase_errors.push({ ...row, error_id: errorId, group_id: groupId })
}

function makeErrorText(group, number) {
  const [one, other] = [WORDS[group % 10], WORDS[Math.floor(group / 10) % 10]]
  return `expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId('${one}-${number}')\nExpected string: "the ${other} of area ${group} is ${number} mV"\nReceived string: "waiting"\nTimeout: ${1000 + number}ms\n\nCall log:\n  - Expect "toHaveText" with timeout ${1000 + number}ms\n  - waiting for getByTestId('${one}-${number}')`
}

function makeStack(group) {
  const frames = Array.from(
    { length: 12 },
    (_, depth) => `    at step${depth} (src/area-${group}/file-${depth}.ts:${depth + 10}:5)`,
  )
  return ['Error: expect(locator).toHaveText(expected) failed', ...frames].join('\n')
}

/** @returns {[string, string][]} */
function makeMetadata({ seed, steps, count }, { index, isHistory, random }) {
  const execution = Math.floor(index / RUNS_PER_EXECUTION)
  const commit = createHash('sha1')
    .update(`${seed} commit ${Math.floor(execution / 2)}`)
    .digest('hex')
  const branches = Math.max(10, Math.floor(count / 500))
  return [
    ['framework', ['jest', 'vitest', 'playwright'][index % 3]],
    ['framework_version', ['30.4.1', '4.1.2', '1.57.0'][index % 3]],
    ['project', isHistory ? 'web' : ['api', 'web', 'firmware', 'bench', 'line-2'][random.below(5)]],
    [
      'file',
      isHistory
        ? HISTORY_FILE
        : `packages/module-${random.below(40)}/test/suite-${random.below(300)}.test.ts`,
    ],
    ['tests_passed', String(steps - 1)],
    ['tests_failed', '1'],
    ['tests_skipped', String(random.below(3))],
    ['tests_flaky', '0'],
    ['retries', '0'],
    ['node', 'v22.13.0'],
    ['os', 'linux 6.8.0-45-generic x64'],
    ['ci', 'github'],
    ['ci_build_url', `https://ci.example.test/acme/device/actions/runs/${9_000_000_000 + execution}`],
    ['git_branch', isHistory ? 'main' : `feature/DEV-${1000 + random.below(branches)}-improve-the-thing`],
    ['git_default_branch', 'main'],
    ['git_commit', commit],
    ['pull_request', String(1 + (execution % 4000))],
    ['group', `ci-${createHash('sha256').update(`${seed} ${execution}`).digest('hex').slice(0, 24)}`],
    ['submission_id', makeUuid(seed, `submission ${index}`)],
  ]
}

function makeAttachments(world, { index, id, createdMs, nextKey }) {
  const attachments = []
  const blobs = []
  const bytes = []
  for (let number = 0; number < world.attachments; number += 1) {
    const line = Buffer.from(`${world.seed} attachment ${number} of run ${index}`)
    const content = Buffer.concat([
      line,
      Buffer.alloc(Math.max(0, world.attachmentBytes - line.length), line),
    ])
    const sha256 = createHash('sha256').update(content).digest('hex')
    const isLog = number === 0
    attachments.push({
      id: nextKey(),
      public_id: makeUuid(world.seed, `attachment ${index} ${number}`),
      name: isLog ? 'log.txt' : `module › works in case ${number}/attempt-1/screenshot.png`,
      content_type: isLog ? 'text/plain' : 'image/png',
      sha256,
      run_id: id,
      created_at_us: createdMs * 1000,
      created_by_user_id: world.userId,
      received_at_us: createdMs * 1000,
    })
    const object_name = `${sha256.slice(0, 2)}/${sha256}`
    blobs.push({ sha256, object_name, size_bytes: content.length, reference_count: 1 })
    bytes.push({ sha256, content })
  }
  return { blobs, attachments, bytes }
}
