import { explainDistrust } from '@runledger/core/tools'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from '../command-error'
import { findPackage } from '../project/find-packages'
import { findTestProjects, type TestProject } from '../project/find-projects'
import type { ConfiguredOptions } from '../service-settings'
import type { CommandContext } from '../command-context'
import { readReporterOptions } from './read-reporter-options'

export const NO_OPTIONS: ConfiguredOptions = { options: {}, computed: [] }

/** The projects of a folder; none where there is no package. */
export function findProjects(folder: string): TestProject[] {
  try {
    return findTestProjects(findPackage(folder))
  } catch (error) {
    if (error instanceof CommandError) return []
    throw error
  }
}

/** Whether another user may have written a project above the folder: its options could send the key elsewhere. */
export function isDistrusted(
  { package: { dir } }: TestProject,
  folder: string,
  env: CommandContext['env'],
): boolean {
  return dir !== folder && explainDistrust(path.join(dir, 'package.json'), env) !== undefined
}

/** The options that stand in the config of a project. */
export function readWritten(
  { configFile, framework }: TestProject,
  env: CommandContext['env'],
): ConfiguredOptions {
  if (configFile === undefined) return NO_OPTIONS
  try {
    return readReporterOptions({ file: configFile, text: readFileSync(configFile, 'utf8') }, framework, env)
  } catch {
    // `runledger doctor` reports it where the project is examined.
    return NO_OPTIONS
  }
}

/** The options of the first config in a folder that names a procedure, else of the first with options. */
export function readFolderOptions(folder: string, env: CommandContext['env']): ConfiguredOptions {
  const trusted = findProjects(folder).filter((project) => !isDistrusted(project, folder, env))
  const all = trusted.map((project) => readWritten(project, env))
  const withProcedure = all.find(
    ({ options, computed }) => options.procedureId !== undefined || computed.includes('procedureId'),
  )
  return withProcedure ?? all.find(({ options }) => Object.keys(options).length > 0) ?? NO_OPTIONS
}
