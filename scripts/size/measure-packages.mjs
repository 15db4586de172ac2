import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { readSource } from './read-source.mjs'

/** The packages of the folder that this is called in, with all their source files. */
export function readPackages() {
  const names = readdirSync('packages').filter((name) => existsSync(path.join('packages', name, 'src')))
  return names.sort().map((name) => ({ name, sources: readSources(path.join('packages', name, 'src')) }))
}

function readSources(src) {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  return files.sort().map((file) => ({
    ...readSource(path.join(src, file)),
    folder: file.includes(path.sep) ? file.slice(0, file.indexOf(path.sep)) : '(root)',
    isTest: /\.test\.tsx?$/.test(file),
  }))
}

/** The numbers of a package, and of each folder at the root of its sources with all below it. */
export function measurePackage({ name, sources }) {
  const inFolder = (folder) => sources.filter((source) => source.folder === folder)
  const folders = [...new Set(sources.map(({ folder }) => folder))].sort()
  return {
    ...measureSources(name, sources),
    folders: folders.map((folder) => measureSources(folder, inFolder(folder))),
  }
}

/** Of tests only the lines are counted, apart. */
export function measureSources(name, sources) {
  const code = sources.filter(({ isTest }) => !isTest)
  const functions = code.flatMap((source) => source.functions).sort((one, other) => one.lines - other.lines)
  const atShare = (share) => functions[Math.max(0, Math.ceil(share * functions.length) - 1)]
  return {
    name,
    files: code.length,
    lines: sumLines(code),
    testLines: sumLines(sources) - sumLines(code),
    functions: functions.length,
    medianLines: atShare(0.5)?.lines ?? 0,
    p90Lines: atShare(0.9)?.lines ?? 0,
    longest: atShare(1),
  }
}

function sumLines(sources) {
  return sources.reduce((sum, { lines }) => sum + lines, 0)
}
