import { createTwoFilesPatch } from 'diff'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { dependsOn } from '../find-frameworks'
import { addReporter } from './add-reporter'
import type { FileWrite } from './file-writes'
import type { TestProject } from './find-projects'
import { createConfig } from './new-config'
import { createPackageCommand, type PackageCommand } from './package-manager'
import { writeLine } from './reporter-line'

/** What becomes of one project's config. */
export type ConfigPlan = { project: TestProject; file: string } & (
  | { status: 'changed'; write: FileWrite }
  | { status: 'present' }
  | { status: 'unreadable'; reason: string; line: string }
)

/** Reads every config as it is now. The procedure is an option of the reporter where one is given. */
export function planConfigs(projects: readonly TestProject[], procedureId: string | undefined): ConfigPlan[] {
  // Of a file that several frameworks are named in: each adds to what those before it have made of it.
  const changed = new Map<string, Buffer>()
  return projects.map((project): ConfigPlan => {
    const { configFile: file, framework } = project
    if (file === undefined) {
      const created = createConfig(project, procedureId)
      const write = { file: created.file, before: undefined, after: Buffer.from(created.text) }
      return { project, file: created.file, status: 'changed', write }
    }
    const before = changed.get(file) ?? readFileSync(file)
    const text = before.toString()
    // Otherwise what is no UTF-8 would be written back as something else.
    const change = Buffer.from(text).equals(before)
      ? addReporter({ file, text }, framework, procedureId)
      : ({ status: 'unreadable', reason: 'is not UTF-8' } as const)
    if (change.status === 'present') return { project, file, ...change }
    if (change.status === 'unreadable')
      return { project, file, ...change, line: writeLine(framework, procedureId) }
    const after = Buffer.from(change.text)
    changed.set(file, after)
    return { project, file, status: 'changed', write: { file, before, after } }
  })
}

/** The calls that install the reporters that no package.json names yet, one for each folder. */
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
