// Two promises to users, checked over the lockfile: everything runs on Node 20.19, and nothing they get needs an
// install script (npm 12 and pnpm do not run them).
import { readFileSync } from 'node:fs'
import semver from 'semver'

const OLDEST_NODE = '20.19.0'

// Has an install script, yet works without it: its binaries are in the package. The test of the packed tarballs
// installs with --ignore-scripts and runs the service.
const WORKS_WITHOUT_SCRIPT = ['@photostructure/sqlite']

const lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const complaints = []

for (const [location, entry] of Object.entries(lockfile.packages)) {
  const name = location.slice(location.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const range = entry.engines?.node
  if (range && !entry.optional && !semver.satisfies(OLDEST_NODE, range)) {
    complaints.push(`${location} ${entry.version} excludes Node ${OLDEST_NODE}: it wants ${range}`)
  }
  const reachesUsers = !entry.dev && !entry.devOptional
  if (entry.hasInstallScript && reachesUsers && !WORKS_WITHOUT_SCRIPT.includes(name)) {
    complaints.push(`${location} ${entry.version} reaches users and has an install script`)
  }
}

for (const complaint of complaints) console.error(complaint)
console.log(`lockfile: ${Object.keys(lockfile.packages).length} packages, ${complaints.length} complaints`)
process.exitCode = complaints.length === 0 ? 0 : 1
