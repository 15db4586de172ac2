import { explainDistrust, isInside } from '@runledger/core/tools'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type ConfigFramework, FRAMEWORKS } from '../find-frameworks'
import { findCallConfig } from '../project/find-projects'
import type { CommandContext } from '../command-context'
import type { TestCall } from '../test-calls/test-call'

/** The file that runs the program. @throws Error where it is not installed */
export function findBin(call: TestCall): string {
  const { packageName, names } = call.program
  const file = findPackageFile(call)
  const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin?: string | Record<string, string> }
  const found = typeof bin === 'string' ? bin : names.flatMap((name) => bin?.[name] ?? [])[0]
  if (found === undefined) throw new Error(`${packageName} has no command`)
  return path.resolve(path.dirname(file), found)
}

/**
 * Why the folder of a call, its program or its config may belong to another user. Frameworks search all folders above for
 * programs and configs; files in the project's root belong to the project.
 * @throws Error where it is not installed
 */
export function explainForeign(call: TestCall, root: string, env: CommandContext['env']): string | undefined {
  const framework = FRAMEWORKS.find(({ name }) => name === call.program.framework) as ConfigFramework
  const { configFile } = findCallConfig(call, framework, path.parse(call.dir).root)
  const manifest = path.join(call.dir, 'package.json')
  return [manifest, findPackageFile(call), ...(configFile === undefined ? [] : [configFile])]
    .filter((file) => !isInside(file, root))
    .map((file) => explainDistrust(file, env))
    .find((problem) => problem !== undefined)
}

function findPackageFile({ program, dir }: TestCall): string {
  return createRequire(path.join(dir, 'package.json')).resolve(`${program.packageName}/package.json`)
}
