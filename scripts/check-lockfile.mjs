// Promises checked over the lockfile of the folder it is called in: `npm ci` can install it on every platform, everything
// runs on Node 20.19, and nothing that users get needs an install script (npm 12 and pnpm do not run them).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import semver from 'semver'

const OLDEST_NODE = '20.19.0'

// Has an install script, yet works without it: its binaries are in the package. The test of the published packages
// installs with --ignore-scripts and runs the service.
const WORKS_WITHOUT_SCRIPT = ['@photostructure/sqlite']

const packages = readPackages()
const found = [...Object.entries(packages).flatMap(checkEntry), ...tryInstall()]
for (const complaint of found) console.error(complaint)
console.log(`lockfile: ${Object.keys(packages).length} packages, ${found.length} complaints`)
process.exitCode = found.length === 0 ? 0 : 1

function readPackages() {
  if (!existsSync('package-lock.json')) giveUp('there is no package-lock.json in this folder')
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  if (lockfile.packages === undefined)
    giveUp(`package-lock.json is of version ${lockfile.lockfileVersion}: npm 7 or later writes 3`)
  return lockfile.packages
}

function giveUp(message) {
  console.error(message)
  process.exit(1)
}

function checkEntry([location, entry]) {
  const name = location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const title = location === '' ? 'the root package' : `${location} ${entry.version}`
  const complaints = []
  const range = entry.engines?.node
  if (range && !entry.optional && !semver.satisfies(OLDEST_NODE, range)) {
    complaints.push(`${title} excludes Node ${OLDEST_NODE}: it wants ${range}`)
  }
  const reachesUsers = !entry.dev && !entry.devOptional
  if (entry.hasInstallScript && reachesUsers && !WORKS_WITHOUT_SCRIPT.includes(name)) {
    complaints.push(`${title} reaches users and has an install script`)
  }
  const lacking = listDependencies(entry).filter((dependency) => !isFound(dependency, location))
  if (lacking.length > 0) complaints.push(`${title} has dependencies without an entry: ${lacking.join(', ')}`)
  return complaints
}

/** Optional ones too: the lockfile has the binaries of every platform, not only of the one that wrote it. */
function listDependencies({ dependencies, devDependencies, optionalDependencies }) {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
}

/** Looks where Node would: in the package's own node_modules, then in those of the folders around it. */
function isFound(dependency, location) {
  const around = location.split('/')
  while (around.length > 0) {
    if (`${around.join('/')}/node_modules/${dependency}` in packages) return true
    around.pop()
  }
  return `node_modules/${dependency}` in packages
}

/** Whether the lockfile goes with every package.json, in npm's own words. Nothing is fetched or written. */
function tryInstall() {
  const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--loglevel=error']
  const { status, stderr, error } = spawnSync('npm', args, { encoding: 'utf8' })
  if (error) throw error
  if (status === 0) return []
  if (/^npm error code ENOTCACHED$/m.test(stderr))
    return ['npm ci refuses it: package.json asks for a package that the lockfile lacks']
  const reasons = stderr.split('\n').filter((line) => /^npm error (Missing|Invalid):/.test(line))
  return [`npm ci refuses it:\n${reasons.length > 0 ? reasons.join('\n') : stderr}`]
}
