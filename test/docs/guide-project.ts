import path from 'node:path'
import { expect } from 'vitest'
import {
  createProject,
  newestVersion,
  runCommand,
  type CommandResult,
  type Project,
} from '../support/project'
import { REPOSITORY } from '../support/repository'
import type { Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** A project with Vitest, in which the commands of a document run as they stand there. */
export interface GuideProject {
  dir: string
  /** Runs a block of commands in a shell to its end; stops at the first that fails, and so does the test then. */
  shell(block: string, env?: Record<string, string | undefined>): Promise<CommandResult>
  remove(): Promise<void>
}

export async function createGuideProject(
  service: Service,
  files: Record<string, string>,
): Promise<GuideProject> {
  const project: Project = await createProject({
    framework: 'vitest',
    version: newestVersion('vitest'),
    files,
  })
  return {
    dir: project.dir,
    remove: () => project.remove(),
    shell: async (block, env) => {
      const command = block.replaceAll('npx runledger', `'${process.execPath}' '${CLI}'`)
      const result = await runCommand('sh', ['-ec', command], {
        dir: project.dir,
        service,
        env: { XDG_STATE_HOME: `${project.dir}.state`, ...env },
      })
      expect(result.exitCode, result.stdout + result.stderr).toBe(0)
      return result
    },
  }
}

/** A config with the reporter, as the README has it. */
export const CONFIG = "export default { test: { reporters: ['default', '@runledger/vitest'] } }\n"

/** A test file that passes. */
export const PASSING = "import { test } from 'vitest'\ntest('holds', () => {})\n"

export interface NewRuns {
  /** The runs that came since it was last called, oldest first. */
  read(): Promise<Awaited<ReturnType<Service['readAllRuns']>>>
}

export function followRuns(service: Service): NewRuns {
  const known = new Set<string>()
  return {
    read: async () => {
      const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
      for (const { id } of runs) known.add(id)
      return runs
    },
  }
}
