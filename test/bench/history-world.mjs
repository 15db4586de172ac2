// What the runs of the year refer to: packages, their files and tests, units, and the builds that the runs are of.
import { createHash } from 'node:crypto'
import { digestOf, makeUuid } from './service-random.mjs'

const PACKAGES = 10
const FILES = 25
export const TESTS_OF_A_FILE = 20
/** A build tests the packages of one of two repositories. */
const PACKAGES_OF_A_BUILD = PACKAGES / 2
export const RUNS_OF_A_BUILD = PACKAGES_OF_A_BUILD * FILES
const YEAR_MS = 365 * 86_400_000
const OWNERS = ['@shop/checkout', '@shop/search', '@shop/account', '@shop/platform', '@shop/data']
export const TAGS = ['slow', 'smoke', 'database']

/** @typedef {ReturnType<typeof makeWorld>} World */
export function makeWorld(database, inserter, { runs, seed }) {
  const userId = database.prepare('SELECT id FROM users ORDER BY id LIMIT 1').get().id
  const endMs = Date.now() - 3_600_000
  let key = 1_000_000
  const nextKey = () => (key += 1)
  const base = { created_at_us: (endMs - YEAR_MS) * 1000, created_by_user_id: userId }
  const record = (name) => ({ id: nextKey(), public_id: makeUuid(seed, name), ...base })
  const packages = Array.from({ length: PACKAGES }, (_, index) =>
    makePackage(inserter, { index, record, nextKey, startUs: base.created_at_us }),
  )
  const builds = Math.ceil(runs / RUNS_OF_A_BUILD)
  return {
    seed,
    userId,
    packages,
    builds,
    endMs,
    msOfBuild: YEAR_MS / builds,
    nextKey,
    metadataValues: new Map(),
    errors: new Map(),
    errorGroups: new Map(),
  }
}

function makePackage(inserter, { index, record, nextKey, startUs }) {
  const name = `package-${index}`
  const procedure = {
    ...record(`procedure ${name}`),
    identifier: name,
    identifier_folded: name,
    name,
    name_folded: name,
  }
  const part = { ...record(`part ${name}`), number: name, number_folded: name, name }
  const revision = { ...record(`revision ${name}`), part_id: part.id, number: '1', number_folded: '1' }
  const serial = `${name}@1.0.0`
  const unit = {
    ...record(`unit ${name}`),
    serial_number: serial,
    serial_number_folded: serial,
    revision_id: revision.id,
  }
  for (const [table, row] of Object.entries({
    procedures: procedure,
    parts: part,
    revisions: revision,
    units: unit,
  }))
    inserter.insert(table, [row])
  const define = (text) => {
    const row = { id: nextKey(), procedure_id: procedure.id, digest: sha256(text), name: text }
    inserter.insert('definitions', [row])
    return row.id
  }
  const owners = OWNERS.map(define)
  const tags = TAGS.map(define)
  const files = WORDS.slice(0, FILES).map((word, file) => {
    const path = `packages/${name}/test/${word}.test.ts`
    const suite = { id: nextKey(), procedure_id: procedure.id, project_id: 0, file_id: define(path) }
    inserter.insert('suites', [suite])
    const tests = Array.from({ length: TESTS_OF_A_FILE }, (_, place) =>
      makeTest({ index, file, place, nextKey, define, owner: owners[file % OWNERS.length] }),
    )
    inserter.insert(
      'tests',
      tests.map(({ id, nameId, line, owner }) => ({
        id,
        suite_id: suite.id,
        definition_id: nameId,
        first_seen_us: startUs,
        last_seen_day: Math.floor(Date.now() / 86_400_000),
        line,
        owner_id: owner,
        rename_checked: 1,
      })),
    )
    return { path, id: suite.file_id, suiteId: suite.id, tag: tags[file % tags.length], tests }
  })
  return { id: procedure.id, unit, files }
}

/** Of a hundred tests, one is flaky and two are skipped; of a thousand, one breaks for the last fifth of the year. */
function makeTest({ index, file, place, nextKey, define, owner }) {
  const number = (index * FILES + file) * TESTS_OF_A_FILE + place
  const name = `${WORDS[file]} › ${WORDS[(file + place) % FILES]} › keeps ${WORDS[place]} in case ${place}`
  return {
    id: nextKey(),
    nameId: define(name),
    line: 10 + 8 * place,
    owner,
    meanUs: 20_000 + 1_000 * ((number * 7919) % 900),
    isFlaky: number % 100 === 7,
    isSkipped: number % 50 === 3,
    isBroken: number % 1000 === 500,
  }
}

/** One of the builds of the year, the oldest first. @param {World} world */
export function makeBuild({ seed, builds, endMs, msOfBuild }, index) {
  const repository = index % 2
  const ofRepository = Math.floor(index / 2)
  const isMain = ofRepository % 2 === 0
  // Some builds are of the commit of the one before on main.
  const isRepeat = ofRepository % 10 === 2
  const ofCommit = isRepeat ? index - 4 : index
  return {
    index,
    repository,
    isMain,
    isInfrastructure: index % 200 === 150,
    isLate: index > builds * 0.8,
    startMs: Math.floor(endMs - (builds - index) * msOfBuild),
    group: `ci-${createHash('sha256').update(`${seed} ${index}`).digest('hex').slice(0, 24)}`,
    branch: isMain ? 'main' : `feature/DEV-${1000 + Math.floor(index / 20)}-improve-${WORDS[index % FILES]}`,
    commit: createHash('sha1').update(`${seed} commit ${ofCommit}`).digest('hex'),
    subject: `Keep ${WORDS[ofCommit % FILES]} when ${WORDS[(ofCommit * 7) % FILES]} changes`,
    author: `Author ${ofCommit % 40} <author-${ofCommit % 40}@example.test>`,
    url: `https://ci.example.test/shop/repository-${repository}/actions/runs/${9_000_000_000 + index}`,
    pullRequest: isMain ? undefined : String(1 + Math.floor(index / 20)),
  }
}

export { digestOf }

function sha256(text) {
  return createHash('sha256').update(text).digest('base64url')
}

export const WORDS =
  'cart invoice session basket gateway user search filter payment refund address voucher stock label parcel login profile review rating wishlist order export import webhook tax'.split(
    ' ',
  )
