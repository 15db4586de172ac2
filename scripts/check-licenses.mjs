// npm run check:licenses [-- --write]: everything of others that users get, installed beside our packages or bundled into
// them, has a licence that lets us hand it on, and is listed in LICENSES.md. With --write that list is written anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** SPDX names of licences that ask for no more than to be named. */
const ALLOWED = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]
const LIST = 'LICENSES.md'
/** The licences of what is bundled, as the builds write them. */
const BUNDLES = ['packages/core/dist/licenses.md', 'packages/dashboard/dist/licenses.md']
/** The stylesheet that tailwindcss makes names its licence; of tsup a few lines stand in for what a module format lacks. */
const OF_BUILD_TOOLS = ['tailwindcss', 'tsup']
/** Packages of which the builds copy files, with the licence and notices beside them. */
const COPIED = ['playwright-core']

const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const installed = listInstalled()
const bundled = [
  ...BUNDLES.flatMap(readBundled),
  ...[...OF_BUILD_TOOLS, ...COPIED].map((name) => ({
    name,
    license: locked[`node_modules/${name}`].license,
  })),
]
const used = [...installed, ...bundled]
const complaints = used
  .filter(({ license }) => !ALLOWED.includes(license))
  .map(({ name, license }) => `${name} reaches users under ${license ?? 'no licence'}`)
for (const name of listTakenIn())
  if (!bundled.some((each) => each.name === name))
    complaints.push(`${name} is bundled, and its licence is in none of ${BUNDLES.join(', ')}`)
const list = formatList()
if (process.argv.includes('--write')) writeFileSync(LIST, list)
else if (!existsSync(LIST) || readFileSync(LIST, 'utf8') !== list)
  complaints.push(`${LIST} is out of date: npm run check:licenses -- --write`)
for (const complaint of complaints) console.error(complaint)
console.log(
  `licenses: ${new Set(used.map(({ name }) => name)).size} packages of others, ${complaints.length} complaints`,
)
process.exitCode = complaints.length === 0 ? 0 : 1

/** What npm installs with any of the packages that we publish, each package once. */
function listInstalled() {
  const seen = new Set()
  const waiting = readdirSync('packages')
    .map((folder) => `packages/${folder}`)
    .filter((folder) => existsSync(`${folder}/package.json`))
    .filter((folder) => !JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).private)
  for (const location of waiting) {
    if (seen.has(location)) continue
    seen.add(location)
    const { dependencies, optionalDependencies, peerDependencies } = locked[location] ?? {}
    // The peers of our own packages are the user's frameworks.
    const peers = location.startsWith('packages/') ? {} : peerDependencies
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peers })) {
      const found = locate(name, location)
      if (found !== undefined) waiting.push(found)
    }
  }
  return [...seen]
    .filter((location) => location.includes('node_modules/'))
    .map((location) => ({ name: nameOf(location), license: locked[location].license }))
}

/** Looks where Node would; our own packages are links to their folders. */
function locate(name, from) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const location = path.posix.join(folder, 'node_modules', name)
    if (location in locked) return locked[location].link ? locked[location].resolved : location
    if (folder === '.') return undefined
  }
}

function nameOf(location) {
  return location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** @throws when a bundle names nothing: then it is not written as this reads it. */
function readBundled(file) {
  const titles = [...readFileSync(file, 'utf8').matchAll(/^## (\S+)(?: - \S+)?(?: \((.+)\))?$/gm)]
  if (titles.length === 0) throw new Error(`${file} names no package`)
  return titles.map(([, name, license]) => ({ name, license }))
}

/** Packages of others whose code the builds of our packages took in, as tsup.base.ts notes them. */
function listTakenIn() {
  const folder = '.cache/bundled'
  const sources = readdirSync(folder).flatMap((file) =>
    JSON.parse(readFileSync(path.join(folder, file), 'utf8')),
  )
  const names = sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1])
  return new Set(names.filter((name) => name !== undefined && !name.startsWith('@runledger/')))
}

function formatList() {
  const isIn = (group) => new Set(group.map(({ name }) => name))
  const [beside, within] = [isIn(installed), isIn(bundled)]
  const licenses = new Map(used.map(({ name, license }) => [name, license]))
  const rows = [...licenses]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, license]) => {
      const ways = [beside.has(name) && 'installed', within.has(name) && 'bundled'].filter(Boolean)
      return `| ${name} | ${license} | ${ways.join(', ')} |`
    })
  return `# Licences of what comes with Runledger

Written by \`npm run check:licenses -- --write\`. *Installed* is what your package manager fetches with one of our packages,
*bundled* what is in their files: its licence is in a \`licenses.md\` beside them, that of tailwindcss in the stylesheet, and of tsup
there are a few lines. The trace viewer of playwright-core is copied unchanged, with its licence and notices beside it. Runledger
itself is under the [MIT licence](LICENSE).

| package | licence | how it comes |
| --- | --- | --- |
${rows.join('\n')}
`
}
