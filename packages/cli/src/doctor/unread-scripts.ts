import path from 'node:path'
import { CommandError } from '../command-error'
import { readScripts } from '../find-frameworks'
import { findPackage, listWorkspacePackages, type PackageFolder } from '../init/find-packages'
import { findTestCalls } from '../node-test-command'
import { findProgram } from '../test-calls/programs'
import { splitCommands } from '../test-calls/shell-words'
import { type Finding, notChecked } from './finding'

/** Programs that run scripts of packages, which are examined by themselves, or no tests. */
const HANDING_ON =
  /^(?:npm|yarn|pnpm|bun|turbo|nx|lerna|wireit|run-[sp]|npm-run-all2?|echo|exit|true|tsc|eslint|prettier|cd)$/
const TEST_SCRIPT = /^(?:test|e2e|unit|integration)(?:$|[:_-])/

/** Scripts whose names say that they run tests, by programs that are not read here. */
export function listUnreadScripts(folder: string): Finding[] {
  return listPackages(folder).flatMap(({ dir, manifest }) =>
    Object.entries(readScripts(manifest)).flatMap(([name, script]) => {
      if (!TEST_SCRIPT.test(name) || !isUnread(script)) return []
      const place = path.relative(folder, dir)
      const check = place === '' ? 'scripts' : `scripts in ${place}`
      return [notChecked(check, `whether \`${script}\` (${name}) runs tests that are recorded is not known`)]
    }),
  )
}

function listPackages(folder: string): PackageFolder[] {
  try {
    const root = findPackage(folder)
    return [root, ...listWorkspacePackages(root)]
  } catch (error) {
    if (error instanceof CommandError) return []
    throw error
  }
}

function isUnread(script: string): boolean {
  if (findTestCalls(script).length > 0) return false
  const commands = splitCommands(script)
  const isKnown = commands.some((words) =>
    words.some(({ text }, index) => findProgram(text, words[index + 1]?.text) !== undefined),
  )
  return !isKnown && commands.some(([first]) => first !== undefined && !HANDING_ON.test(first.text))
}
