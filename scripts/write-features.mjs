// Writes FEATURES.md of each reporter from the results of `npm run conformance`. Nothing in it is written by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const NAMES = { jest: 'Jest', vitest: 'Vitest', playwright: 'Playwright' }

const results = readFileSync(path.join(repository, '.cache/conformance/results.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

for (const framework of Object.keys(NAMES)) {
  const own = results.filter((result) => result.framework === framework)
  writeFileSync(path.join(repository, 'packages', framework, 'FEATURES.md'), formatFeatures(framework, own))
}

function formatFeatures(framework, own) {
  const targets = [...new Set(own.map(nameTarget))].sort(compareTargets)
  const chapters = [...new Set(own.map(({ chapter }) => chapter))]
  const notes = []
  const tables = chapters.flatMap((chapter) => {
    const rows = own.filter((result) => result.chapter === chapter)
    const behaviours = [...new Set(rows.map(({ behaviour }) => behaviour))]
    return [
      `## ${chapter}`,
      '',
      `| behaviour | ${targets.join(' | ')} |`,
      `| --- |${targets.map(() => ' --- |').join('')}`,
      ...behaviours.map((behaviour) => formatRow(behaviour, rows, { targets, notes })),
      '',
    ]
  })
  return [
    `# What @runledger/${framework} puts on record`,
    '',
    `Made by \`npm run conformance\`: each behaviour is a small project, run with ${NAMES[framework]}’s real command, and read back`,
    'from the service. ✓ works, – not possible, ✗ fails; numbers are notes below.',
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
    return result ? formatCell(result, notes) : ' '
  })
  return `| ${behaviour.replaceAll('|', '\\|')} | ${cells.join(' | ')} |`
}

function formatCell(result, notes) {
  if (result.fails) return '✗'
  if (result.notPossible) return `– ${takeNote(result.notPossible, notes)}`
  return result.exception ? `✓ ${takeNote(result.exception, notes)}` : '✓'
}

function takeNote(note, notes) {
  if (!notes.includes(note)) notes.push(note)
  return `<sup>${notes.indexOf(note) + 1}</sup>`
}

function nameTarget({ version, node }) {
  return `${version} (Node ${node})`
}

function compareTargets(one, other) {
  return one.localeCompare(other, 'en', { numeric: true })
}
