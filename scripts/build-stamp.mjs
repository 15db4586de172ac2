// Remembers when the packages were last built, so that what needs a build can tell whether there is one.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'

const repository = path.resolve(import.meta.dirname, '..')
const stamp = path.join(repository, '.cache/built')

/** Files in packages/ that no build reads. */
const NO_SOURCE = /^(dist|node_modules|recordings)$|\.md$|\.test\.tsx?$/

/** True when every package has been built since its sources and the lockfile last changed. */
export function isBuilt() {
  if (!existsSync(stamp) || !listBuiltPackages().every((folder) => existsSync(path.join(folder, 'dist'))))
    return false
  const builtAtMs = statSync(stamp).mtimeMs
  return listSources().every((file) => statSync(file).mtimeMs <= builtAtMs)
}

/** Removes the stamp, so that a build that fails or is stopped does not count. */
export function forgetBuild() {
  rmSync(stamp, { force: true })
}

/** @param {Date} startedAt sources that change while they are built count as newer */
export function noteBuild(startedAt) {
  mkdirSync(path.dirname(stamp), { recursive: true })
  writeFileSync(stamp, '')
  utimesSync(stamp, startedAt, startedAt)
}

function listBuiltPackages() {
  const packages = path.join(repository, 'packages')
  const folders = readdirSync(packages).map((name) => path.join(packages, name))
  return folders.filter((folder) => {
    const manifest = path.join(folder, 'package.json')
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).scripts?.build !== undefined
  })
}

function listSources() {
  const shared = ['package-lock.json', 'tsup.base.ts', 'tsconfig.base.json']
  return [
    ...shared.map((name) => path.join(repository, name)),
    ...listFiles(path.join(repository, 'packages')),
  ]
}

function listFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !NO_SOURCE.test(name))
  return entries.flatMap((entry) => {
    const found = path.join(folder, entry.name)
    return entry.isDirectory() ? listFiles(found) : [found]
  })
}
