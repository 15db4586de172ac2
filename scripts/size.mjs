// npm run size [-- --json | --check]: how large the packages of the folder it is called in are, which files import one
// another in a circle, types counted, which folders do, and how many bytes each published entry loads. --check prints circles and
// functions that are too long, and ends 1 when there are any.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'

const MAX_FUNCTION_LINES = 60
/** What every reporter consists of, besides its own package. */
const IN_EVERY_REPORTER = ['core', 'reporter-kit']

const flag = /** @type {const} */ ({ type: 'boolean' })
const { values } = parseArgs({ options: { json: flag, check: flag } })
prepare()
const { measurePackage, measureSources, readPackages } = await import('./size/measure-packages.mjs')
const { findCircles, findFolderCircles } = await import('./size/find-circles.mjs')
const { measureEntries } = await import('./size/measure-entries.mjs')
const { formatCircle, formatReport } = await import('./size/format-report.mjs')

const packages = readPackages()
const code = packages.flatMap(({ sources }) => sources.filter(({ isTest }) => !isTest))
const circles = findCircles(code)
const folderCircles = findFolderCircles(code)
if (values.check) check()
else console.log(values.json ? JSON.stringify(measure(), undefined, 2) : formatReport(measure()))

function check() {
  const tooLong = code.flatMap(({ functions }) => functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES))
  for (const { name, place, lines } of tooLong) console.error(`${place}: ${name} has ${lines} lines`)
  for (const circle of circles) console.error(formatCircle(circle))
  for (const circle of folderCircles) console.error(formatCircle(circle, 'folders'))
  console.log(
    `size: ${circles.length} import circles, ${folderCircles.length} of folders, ${tooLong.length} functions over ${MAX_FUNCTION_LINES} lines`,
  )
  process.exitCode = circles.length + folderCircles.length + tooLong.length === 0 ? 0 : 1
}

function measure() {
  const together = packages
    .filter(({ name }) => IN_EVERY_REPORTER.includes(name))
    .flatMap(({ sources }) => sources)
  return {
    packages: packages.map(measurePackage),
    circles,
    folderCircles,
    entries: packages.map(({ name }) => ({ name, built: measureEntries(path.join('packages', name)) })),
    together: measureSources(IN_EVERY_REPORTER.join(' + '), together),
  }
}
