import path from 'node:path'
import { CommandError } from '../command-error'
import { findPackage, listWorkspacePackages, type PackageFolder } from '../project/find-packages'
import { toScriptFolder } from '../project/find-projects'
import { findNodeTestCalls } from '../node-test-command'
import { readTestScripts } from '../test-calls/list-calls'
import { type Finding, notChecked } from './finding'

const TEST_SCRIPT = /^(?:test|e2e|unit|integration)(?:$|[:_-])/

/** Lists commands that doctor cannot parse but that may run tests: they name a test runner, or their script has a name such as `test`. */
export function listUnreadScripts(folder: string): Finding[] {
  const packages = listPackages(folder)
  const folders = packages.map(toScriptFolder)
  return folders.flatMap((own) => {
    const { calls, unread } = readTestScripts(own, folders)
    const place = path.relative(folder, own.dir)
    const check = place === '' ? 'scripts' : `scripts in ${place}`
    const isRead = (script: string): boolean =>
      calls.some((call) => call.script === script) || findNodeTestCalls(own.scripts[script] ?? '').length > 0
    return unread
      .filter(({ script, mentionsTests }) => mentionsTests || (TEST_SCRIPT.test(script) && !isRead(script)))
      .map(({ script, text }) =>
        notChecked(check, `cannot tell whether \`${text}\` (${script}) runs recorded tests`),
      )
  })
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
