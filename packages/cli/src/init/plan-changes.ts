import { createTwoFilesPatch } from 'diff'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { dependsOn } from '../find-frameworks'
import type { CommandContext } from '../command-context'
import { askFramework } from '../doctor/ask-framework'
import { createBareCall } from '../test-calls/test-call'
import { findMerge } from '../doctor/find-merge'
import { findOwnProgram } from '../test-calls/programs'
import { readFlags } from '../test-calls/read-flags'
import { addFlags, findScriptFile, hasFlag, needsFlag } from '../config-files/add-flag'
import { addReporter } from '../config-files/add-reporter'
import type { FileWrite } from './file-writes'
import type { TestProject } from '../project/find-projects'
import { createConfig } from './new-config'
import { createPackageCommand, type PackageCommand } from './package-manager'
import { writeLine } from '../config-files/reporter-line'

/** What becomes of one project's config. */
export type ConfigPlan = { project: TestProject; file: string } & (
  | { status: 'changed'; write: FileWrite }
  | { status: 'present' }
  | { status: 'unreadable'; reason: string; line: string }
)

export interface Addition {
  /** An option of the reporter, where one is given. */
  procedureId: string | undefined
  isOnGithub: boolean
  /** Configs with which the framework said that it uses its default reporters. */
  withDefaults: ReadonlySet<string>
}

export function planConfigs(projects: readonly TestProject[], addition: Addition): ConfigPlan[] {
  // Each change of a file starts from the result of those before it.
  const changed: Changed = new Map()
  const flags = planFlags(projects, changed)
  const configs = projects
    .filter(({ isRunByRoot, calls }) => !isRunByRoot && (calls.length === 0 || !calls.every(needsFlag)))
    .map((project) => planConfig(project, addition, changed))
  return [...flags, ...configs]
}

type Changed = Map<string, Buffer>

/** Flags take no options. All flags of a file are written at once, since their places are those in the unchanged scripts. */
function planFlags(projects: readonly TestProject[], changed: Changed): ConfigPlan[] {
  const needed = projects.flatMap((project) =>
    project.calls.filter(needsFlag).map((call) => ({ project, call, file: findScriptFile(call) })),
  )
  return needed.flatMap(({ project, file }, index): ConfigPlan[] => {
    if (needed.findIndex((each) => each.file === file) < index) return []
    const missing = needed.filter(
      (each) => each.file === file && !hasFlag(each.call) && findMerge(each.call, each.project) === undefined,
    )
    if (missing.length === 0) return [{ project, file, status: 'present' }]
    const before = readFileSync(file)
    const after = Buffer.from(
      addFlags(
        before.toString(),
        missing.map(({ call }) => call),
      ),
    )
    changed.set(file, after)
    return [{ project, file, status: 'changed', write: { file, before, after } }]
  })
}

function planConfig(
  project: TestProject,
  { withDefaults, ...added }: Addition,
  changed: Changed,
): ConfigPlan {
  const { configFile: file, framework } = project
  const options = { ...added, hasDefaults: file !== undefined && withDefaults.has(file) }
  const missing = project.calls.map((call) => readFlags(call).config).find((name) => name !== undefined)
  if (file === undefined && missing !== undefined) {
    const line = writeLine(framework, options)
    return { project, file: missing, status: 'unreadable', reason: 'is not there', line }
  }
  if (file === undefined) {
    const created = createConfig(project, options)
    const write = { file: created.file, before: undefined, after: Buffer.from(created.text) }
    return { project, file: created.file, status: 'changed', write }
  }
  const before = changed.get(file) ?? readFileSync(file)
  const text = before.toString()
  // Otherwise invalid UTF-8 would be written back changed.
  const change = Buffer.from(text).equals(before)
    ? addReporter({ file, text }, framework, options)
    : ({ status: 'unreadable', reason: 'is not UTF-8' } as const)
  if (change.status === 'present') return { project, file, ...change }
  if (change.status === 'unreadable') return { project, file, ...change, line: writeLine(framework, options) }
  const after = Buffer.from(change.text)
  changed.set(file, after)
  return { project, file, status: 'changed', write: { file, before, after } }
}

/** Asks the frameworks whose configs cannot be read as text which reporters they use. */
export async function findDefaults(
  configs: readonly ConfigPlan[],
  root: string,
  { env, runNode }: CommandContext,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (!runNode) return found
  for (const { project, file, status } of configs) {
    const { framework, calls, configDir } = project
    if (status !== 'unreadable' || framework.name === 'node:test') continue
    const call = calls[0] ?? createBareCall(findOwnProgram(framework.name), configDir)
    const answer = await askFramework(call, { env, runNode, root })
    if ('reporters' in answer && answer.reporters.every(({ name }) => DEFAULTS.includes(name)))
      found.add(file)
  }
  return found
}

const DEFAULTS = ['default', 'github-actions', 'list', 'dot', 'line']

/** The calls that install the missing reporters, one for each folder. */
export async function planInstalls(
  projects: readonly TestProject[],
  root: TestProject['package'],
): Promise<PackageCommand[]> {
  const missing = new Map<string, Set<string>>()
  for (const { framework, package: own, installDir } of projects) {
    if ([own, root].some(({ manifest }) => dependsOn(manifest, framework.reporter))) continue
    missing.set(installDir, (missing.get(installDir) ?? new Set()).add(framework.reporter))
  }
  return Promise.all(
    [...missing].map(([dir, packages]) => createPackageCommand('add', { dir, packages: [...packages] })),
  )
}

/** The change of a file as a diff, its path relative to the project. */
export function showChange({ file, before, after }: FileWrite, root: string): string {
  const name = path.relative(root, file)
  const patch = createTwoFilesPatch(
    before === undefined ? '/dev/null' : `a/${name}`,
    `b/${name}`,
    before?.toString() ?? '',
    after.toString(),
    undefined,
    undefined,
    { context: 2 },
  )
  return patch.replace(/^=+\n/, '').trimEnd()
}
