// Which test file belongs to which set. Loads Node's own modules only.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '../..')

/** In a test beside the code: it starts a process, the service, or a harness that does. */
const STARTS_PROCESS =
  /from '(node:child_process|@runledger\/server|[./]+\/testing\/[^']+|\.\/sqlite-(?:database|readers))'/

/** Folders and files of test/ by their set. The longest that begins a path decides. */
const PLACES = {
  quick: ['docs/links.test.ts'],
  service: ['interface/', 'serve/'],
  pages: ['dashboard/'],
  newest: ['conformance/', 'promises.test.ts'],
  matrix: [
    'conformance/older-versions.test.ts',
    'conformance/random-trees/',
    'dashboard/open-attachments.test.ts',
    'frameworks/',
    'core/',
    'delivery/',
  ],
  commands: ['cli/', 'scripts/'],
  guides: ['docs/', 'deploy/'],
  packaging: ['packaging/'],
  demo: ['history/', 'serve/demo.test.ts', 'serve/dev.test.ts'],
  postgres: ['postgres/'],
  soak: ['soak/', 'interface/fuzz/'],
  attack: ['attack/'],
}

/** Every test file of the repository with its set; `undefined` for a file that no set names. */
export function listTestFiles() {
  const beside = readdirSync(path.join(repository, 'packages')).map((name) => `packages/${name}/src`)
  const folders = [...beside.filter((folder) => existsSync(path.join(repository, folder))), 'test']
  return folders.flatMap(listTests).map((file) => ({ file, set: findSet(file) }))
}

/** The paths of a set's files in a folder of the repository. */
export function listSet(set, folder) {
  const files = listTestFiles().filter(({ file }) => file.startsWith(`${folder}/`))
  return files.filter((one) => one.set === set).map(({ file }) => file)
}

function findSet(file) {
  if (file.startsWith('packages/')) {
    return STARTS_PROCESS.test(readFileSync(path.join(repository, file), 'utf8')) ? 'service' : 'quick'
  }
  const rest = file.slice('test/'.length)
  const places = Object.entries(PLACES).flatMap(([set, starts]) => starts.map((start) => ({ set, start })))
  const found = places.filter(({ start }) => rest.startsWith(start))
  return found.toSorted((a, b) => b.start.length - a.start.length)[0]?.set
}

function listTests(folder) {
  const entries = readdirSync(path.join(repository, folder), { withFileTypes: true })
  return entries.flatMap((entry) => {
    const found = `${folder}/${entry.name}`
    if (entry.isDirectory()) return listTests(found)
    return /\.test\.tsx?$/.test(entry.name) ? [found] : []
  })
}
