// The rows of one run of the year, as a run that a reporter sends is stored.
import { digestOf, makeBuild, RUNS_OF_A_BUILD, TESTS_OF_A_FILE, WORDS } from './history-world.mjs'
import { createRandom, makeUuid } from './service-random.mjs'

const EPOCH_2025_MS = Date.UTC(2025, 0, 1)
const KEYS_PER_MS = 2048
const MS_BETWEEN_RUNS = 4_000
const [SKIPPED, PASSED, FLAKY, FAILED] = [0, 1, 2, 3]
const ERROR_GROUPS = 400

/** @param {import('./history-world.mjs').World} world */
export function makeRunRows(world, index) {
  const place = index % RUNS_OF_A_BUILD
  const build = findBuild(world, Math.floor(index / RUNS_OF_A_BUILD))
  const filesOfAPackage = world.packages[0].files.length
  const ofPackage = build.repository * 5 + Math.floor(place / filesOfAPackage)
  const { id: procedureId, unit, files } = world.packages[ofPackage]
  const file = files[place % filesOfAPackage]
  const random = createRandom(world.seed, index)
  const startedMs = build.startMs + MS_BETWEEN_RUNS * place
  const createdMs = startedMs + 3_000
  const id = (createdMs - EPOCH_2025_MS) * KEYS_PER_MS
  const results = file.tests.map((test) => drawResult(test, build, random))
  const hasFailed = results.some(({ outcome }) => outcome === FAILED)
  const run = { id, file, startedMs }
  const steps = makeSteps(world, run, results, random)
  const metadata = makeMetadata(world, build, {
    file,
    results,
    submission: makeUuid(world.seed, `submission ${index}`),
  })
  const { metadata_values, run_metadata } = makeMetadataRows(world, id, metadata)
  return {
    ...makeBuildRows(world, build, { place, procedureId, startedMs, isFirst: place % filesOfAPackage === 0 }),
    runs: [
      {
        id,
        public_id: makeUuid(world.seed, `run ${index}`),
        procedure_id: procedureId,
        unit_id: unit.id,
        revision_id: unit.revision_id,
        outcome: hasFailed ? 'FAIL' : 'PASS',
        started_at_us: startedMs * 1000,
        ended_at_us: createdMs * 1000,
        duration_us: (createdMs - startedMs) * 1000,
        first_phase_at_us: startedMs * 1000,
        last_phase_at_us: (startedMs + (TESTS_OF_A_FILE - 1) * 100) * 1000,
        created_at_us: createdMs * 1000,
        created_by_user_id: world.userId,
        first_error_id: steps.phase_errors.at(0)?.error_id ?? null,
        build_id: build.id,
        branch_id: run_metadata[metadata.findIndex(([name]) => name === 'git_branch')].value_id,
        environment: 'linux v22',
        file_id: file.id,
        is_of_line: 0,
      },
    ],
    ...steps,
    metadata_values,
    run_metadata,
    run_suites: [
      {
        run_id: id,
        suite_id: file.suiteId,
        skipped: countOf(results, SKIPPED),
        passed: countOf(results, PASSED),
        flaky: countOf(results, FLAKY),
        failed: countOf(results, FAILED),
      },
    ],
  }
}

function countOf(results, wanted) {
  return results.filter(({ outcome }) => outcome === wanted).length
}

/** Runs of a build come one after another. */
function findBuild(world, index) {
  if (world.build?.index !== index) world.build = { ...makeBuild(world, index), id: world.nextKey() }
  return world.build
}

function makeBuildRows(world, build, { place, procedureId, startedMs, isFirst }) {
  const start = { started_at_us: startedMs * 1000 }
  const row = {
    id: build.id,
    group_name: build.group,
    group_digest: digestOf(`group\0${build.group}`),
    branch: build.branch,
    git_commit: build.commit,
    commit_subject: build.subject,
    author: build.author,
    pull_request: build.pullRequest ?? null,
    event: build.isMain ? 'push' : 'pull_request',
    ci_build_url: build.url,
    repository: `shop/repository-${build.repository}`,
    default_branch: 'main',
    ...start,
    created_at_us: startedMs * 1000,
  }
  return {
    builds: place === 0 ? [row] : [],
    build_procedures: isFirst ? [{ procedure_id: procedureId, build_id: build.id, ...start }] : [],
  }
}

function drawResult(test, build, random) {
  const durationUs = Math.round(test.meanUs * (0.8 + random.below(400) / 1000))
  return { test, durationUs, outcome: drawOutcome(test, build, random.below(10_000)) }
}

function drawOutcome({ isFlaky, isSkipped, isBroken }, { isInfrastructure, isLate, isMain }, chance) {
  if (isSkipped) return SKIPPED
  if (isInfrastructure) return chance < 8_500 ? FAILED : PASSED
  if (isBroken && isLate && isMain) return FAILED
  if (isFlaky) return chance < 200 ? FLAKY : chance < 300 ? FAILED : PASSED
  return chance < 4 ? FAILED : PASSED
}

const PHASE_OUTCOMES = { [SKIPPED]: 'SKIP', [PASSED]: 'PASS', [FLAKY]: 'PASS', [FAILED]: 'FAIL' }

function makeSteps(world, { id, file, startedMs }, results, random) {
  const rows = {
    phases: [],
    phase_tags: [],
    phase_attempts: [],
    error_groups: [],
    errors: [],
    phase_errors: [],
    test_results: [],
  }
  for (const [step, { test, durationUs, outcome }] of results.entries()) {
    const phaseId = id + 1 + step
    const startedUs = (startedMs + step * 100) * 1000
    rows.phases.push({
      run_id: id,
      id: phaseId,
      definition_id: test.nameId,
      outcome: PHASE_OUTCOMES[outcome],
      started_at_us: startedUs,
      duration_us: outcome === SKIPPED ? 0 : durationUs,
      retry_count: outcome === FLAKY ? 1 : 0,
      kind: outcome === SKIPPED ? 'skipped' : 'test',
      file_id: file.id,
      line: test.line,
      owner_id: test.owner,
    })
    if (step === 0)
      rows.phase_tags.push({
        run_id: id,
        phase_id: phaseId,
        position: 0,
        tag_id: file.tag,
      })
    if (outcome === FLAKY) addAttempts(rows, { id, phaseId, startedUs, durationUs })
    const groupId =
      outcome === FLAKY || outcome === FAILED
        ? addError(world, rows, { id, phaseId, test, file, isShared: world.build.isInfrastructure, random })
        : null
    rows.test_results.push({
      suite_id: file.suiteId,
      run_id: id,
      test_id: test.id,
      outcome,
      duration_us: outcome === SKIPPED ? 0 : durationUs,
      error_group_id: groupId,
    })
  }
  return rows
}

function addAttempts({ phase_attempts }, { id, phaseId, startedUs, durationUs }) {
  for (const [attempt, outcome] of ['FAIL', 'PASS'].entries())
    phase_attempts.push({
      run_id: id,
      phase_id: phaseId,
      attempt,
      outcome,
      started_at_us: startedUs,
      duration_us: Math.floor(durationUs / 2),
    })
}

/** Each error is stored once, under its fingerprint. Returns the key of its group. */
function addError(world, rows, { id, phaseId, test, file, isShared, random }) {
  const group = isShared ? 0 : 1 + random.below(ERROR_GROUPS - 1)
  const message = makeMessage(group, random.below(20))
  let groupId = world.errorGroups.get(group)
  if (groupId === undefined) {
    groupId = world.nextKey()
    world.errorGroups.set(group, groupId)
    rows.error_groups.push({ id: groupId, fingerprint: `${group}`.padStart(64, 'e') })
  }
  let errorId = world.errors.get(message)
  if (errorId === undefined) {
    errorId = world.nextKey()
    world.errors.set(message, errorId)
    const stack = `AssertionError: ${message}\n    at check (src/${WORDS[group % WORDS.length]}.ts:${group}:5)`
    rows.errors.push({
      id: errorId,
      group_id: groupId,
      digest: digestOf(message),
      text_length: message.length + stack.length,
      message,
      stack,
    })
  }
  rows.phase_errors.push({
    run_id: id,
    phase_id: phaseId,
    attempt: 0,
    position: 0,
    error_id: errorId,
    group_id: groupId,
    definition_id: test.nameId,
    file_id: file.id,
  })
  return groupId
}

function makeMessage(group, number) {
  if (group === 0) return `connect ECONNREFUSED 10.0.0.${number}:5432`
  const [one, other] = [WORDS[group % WORDS.length], WORDS[(group * 7) % WORDS.length]]
  return `expected the ${one} of area ${group} to have ${number} of ${other}, received undefined`
}

function makeMetadata({ seed }, build, { file, results, submission }) {
  const count = (outcome) => String(countOf(results, outcome))
  return [
    ['framework', 'vitest'],
    ['framework_version', '4.1.2'],
    ['file', file.path],
    ['tests_passed', count(PASSED)],
    ['tests_failed', count(FAILED)],
    ['tests_skipped', count(SKIPPED)],
    ['tests_flaky', count(FLAKY)],
    ['retries', count(FLAKY)],
    ['seed', String(seed)],
    ['node', 'v22.13.0'],
    ['os', 'linux 6.8.0-45-generic x64'],
    ['ci', 'github'],
    ['ci_build_url', build.url],
    ['ci_event', build.isMain ? 'push' : 'pull_request'],
    ['repository', `shop/repository-${build.repository}`],
    ['git_branch', build.branch],
    ['git_default_branch', 'main'],
    ['git_commit', build.commit],
    ['git_commit_subject', build.subject],
    ['git_author', build.author],
    ...(build.pullRequest === undefined ? [] : [['pull_request', build.pullRequest]]),
    ['group', build.group],
    ['submission_id', submission],
  ]
}

/** Each entry is stored once, for all runs that have it. */
function makeMetadataRows({ metadataValues, nextKey }, runId, entries) {
  const metadata_values = []
  const run_metadata = entries.map(([name, value], position) => {
    const text = `${name}\0${value}`
    let valueId = metadataValues.get(text)
    if (valueId === undefined) {
      valueId = nextKey()
      // No other run has this one.
      if (name !== 'submission_id') metadataValues.set(text, valueId)
      metadata_values.push({
        id: valueId,
        name,
        digest: digestOf(text),
        text_value: value,
        value_type: 'string',
      })
    }
    return { run_id: runId, position, value_id: valueId }
  })
  return { metadata_values, run_metadata }
}
