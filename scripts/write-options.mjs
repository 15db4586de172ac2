// npm run options [-- --check]: writes the table of options in core's README from the type that declares them. With --check it
// ends 1 where the table says something else.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

const repository = path.resolve(import.meta.dirname, '..')
const SOURCE = path.join(repository, 'packages/core/src/config/options.ts')
const README = path.join(repository, 'packages/core/README.md')
const START = '<!-- written by `npm run options` -->\n<!-- prettier-ignore-start -->\n'
const END = '<!-- prettier-ignore-end -->'

const before = readFileSync(README, 'utf8')
const start = before.indexOf(START) + START.length
const end = before.indexOf(END, start)
if (start < START.length || end < 0) throw new Error(`${README} has no place for the options`)
const after = before.slice(0, start) + formatTable(readOptions()) + before.slice(end)
if (!process.argv.includes('--check')) writeFileSync(README, after)
else if (after !== before) {
  console.error(
    'packages/core/README.md does not list the options as their type declares them: npm run options',
  )
  process.exitCode = 1
}

function readOptions() {
  const source = ts.createSourceFile(SOURCE, readFileSync(SOURCE, 'utf8'), ts.ScriptTarget.Latest, true)
  const aliases = new Map(
    source.statements.filter(ts.isTypeAliasDeclaration).map(({ name, type }) => [name.text, type]),
  )
  return aliases.get('Options').members.map((member) => {
    const name = member.name.getText()
    const [doc] = ts.getJSDocCommentsAndTags(member)
    const tag = ts.getJSDocTags(member).find(({ tagName }) => tagName.text === 'default')
    // The variables stand in brackets after the default.
    const [, byDefault, variables] = /^(.*) \((`RUNLEDGER_.*)\)$/.exec(joinLines(tag?.comment)) ?? []
    if (!doc?.comment || !variables) throw new Error(`${name} lacks its comment, @default or variable`)
    // A name for a choice of texts says less than the choice.
    const named = aliases.get(member.type.getText())
    const type = (named && ts.isUnionTypeNode(named) ? named : member.type).getText()
    return [`\`${name}\``, joinLines(doc.comment), `\`${type}\``, byDefault, variables]
  })
}

/** @param {Parameters<typeof ts.getTextOfJSDocComment>[0]} comment */
function joinLines(comment) {
  return (ts.getTextOfJSDocComment(comment) ?? '').replaceAll(/\s+/g, ' ').trim()
}

function formatTable(options) {
  const rows = [['option', 'what', 'type', 'default', 'variable'], Array(5).fill('---'), ...options]
  return rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`).join('')
}
