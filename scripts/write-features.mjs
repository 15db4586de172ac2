// Writes FEATURES.md of each reporter from the results of `npm run conformance`. Nothing in it is written by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
/** What stands in a cell of FEATURES.md that must not be there: the behaviour fails, or was never run. */
const FAILS = '✗'
const MISSING = '?'
const NAMES = { jest: 'Jest', vitest: 'Vitest', playwright: 'Playwright' }

const results = readFileSync(path.join(repository, '.cache/conformance/results.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

for (const framework of Object.keys(NAMES)) {
  const own = keepLast(results.filter((result) => result.framework === framework))
  if (own.length === 0) continue
  const gaps = own.filter(({ fails, missing }) => fails || missing)
  for (const gap of gaps) console.error(`${nameTarget(gap)}: ${gap.chapter}: ${gap.behaviour}: does not hold`)
  if (gaps.length > 0) process.exitCode = 1
  writeFileSync(path.join(repository, 'packages', framework, 'FEATURES.md'), formatFeatures(framework, own))
}

/** Of each behaviour and target the last result, in the place of the first: the kit's order. */
function keepLast(own) {
  const last = new Map()
  for (const result of own) last.set(`${nameTarget(result)}\n${result.chapter}\n${result.behaviour}`, result)
  return [...last.values()]
}

function formatFeatures(framework, own) {
  const targets = [...new Set(own.map(nameTarget))].sort(compareTargets)
  const heads = targets.map((target) => target.slice(NAMES[framework].length + 1))
  const chapters = [...new Set(own.map(({ chapter }) => chapter))]
  const notes = []
  const tables = chapters.flatMap((chapter) => {
    const rows = own.filter((result) => result.chapter === chapter)
    const behaviours = [...new Set(rows.map(({ behaviour }) => behaviour))]
    return [
      `## ${chapter}`,
      '',
      `| behaviour | ${heads.join(' | ')} |`,
      `| --- |${targets.map(() => ' --- |').join('')}`,
      ...behaviours.map((behaviour) => formatRow(behaviour, rows, { targets, notes })),
      '',
    ]
  })
  return [
    `# What @runledger/${framework} puts on record`,
    '',
    `Made by \`npm run conformance\`: each behaviour is a small project, run with ${NAMES[framework]}’s real command, and read back`,
    'from the service. ✓ works, – not possible; numbers are notes below.',
    '',
    ...tables,
    ...(notes.length === 0
      ? []
      : ['## Notes', '', ...notes.map((note, index) => `${index + 1}. ${note}`), '']),
  ].join('\n')
}

function formatRow(behaviour, rows, { targets, notes }) {
  const cells = targets.map((target) => {
    const result = rows.find((row) => row.behaviour === behaviour && nameTarget(row) === target)
    return formatCell(result, notes)
  })
  return `| ${behaviour.replaceAll('|', '\\|')} | ${cells.join(' | ')} |`
}

function formatCell(result, notes) {
  if (result.missing) return MISSING
  if (result.fails) return FAILS
  if (result.notPossible) return `– ${takeNote(result.notPossible, notes)}`
  return result.exception ? `✓ ${takeNote(result.exception, notes)}` : '✓'
}

function takeNote(note, notes) {
  if (!notes.includes(note)) notes.push(note)
  return `<sup>${notes.indexOf(note) + 1}</sup>`
}

function nameTarget({ framework, version, node }) {
  return `${NAMES[framework]} ${version} (Node ${node})`
}

function compareTargets(one, other) {
  return one.localeCompare(other, 'en', { numeric: true })
}
