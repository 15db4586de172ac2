import { CommandError } from '../command-error'
import { readFolderOptions } from '../doctor/written-options'
import { findFolder } from '../find-folder'
import { findSettings, type ServiceSettings } from '../service-settings'
import type { Surface } from '../command-context'
import { findCiFile, GITHUB_WORKFLOWS } from '../project/find-ci-file'
import { type CiSnippet, listCiSnippets } from './ci-snippet'
import type { FileWrite } from './file-writes'
import { findOwnPackage, type PackageFolder } from '../project/find-packages'
import { findTestProjects, type TestProject } from '../project/find-projects'
import type { InitFlags } from './init-flags'
import type { PackageCommand } from './package-manager'
import { needsFlag } from '../config-files/add-flag'
import { type Addition, type ConfigPlan, findDefaults, planConfigs, planInstalls } from './plan-changes'
import { planCredentials, planService, type ServicePlan } from './service-plan'

export interface Plan {
  root: PackageFolder
  projects: readonly TestProject[]
  settings: ServiceSettings
  service: ServicePlan
  /** The reporter and its options, as configs get them. */
  addition: Addition
  configs: readonly ConfigPlan[]
  installs: readonly PackageCommand[]
  credentials: FileWrite | undefined
  ci: readonly CiSnippet[]
  isInstalling: boolean
}

/** Looks at the project and asks the service, and changes nothing. */
export async function createPlan(flags: InitFlags, { context }: Surface): Promise<Plan> {
  const root = findOwnPackage(findFolder(flags.dir, context.cwd), context.env)
  const projects = findTestProjects(root)
  if (projects.length === 0)
    throw new CommandError(
      `no test framework was found in ${root.dir}: its package.json names none of jest, vitest and @playwright/test, and no script in it runs node --test in a way that can be changed here`,
    )
  const settings = findSettings({ ...flags, dir: root.dir }, context)
  const { procedureId: written } = readFolderOptions(root.dir, context.env).options
  const procedureId = flags.procedure ?? (typeof written === 'string' ? written : undefined)
  const service = await planService({ settings, root, procedureId }, context)
  const { procedure } = service
  const option = procedure?.isOption ? procedure.id : undefined
  const shared = { root: root.dir, procedureId: procedure?.id, env: context.env }
  const credentials = planCredentials(settings, shared)
  const withoutOption = projects.find(takesNoOption)
  const isVariable = withoutOption !== undefined && option !== undefined
  const isKnown = credentials !== undefined || settings.procedureId.value === option
  const notes = isVariable && !isKnown ? [describeVariable(withoutOption, option)] : []
  const isOnGithub = findCiFile(root.dir, GITHUB_WORKFLOWS) !== undefined
  const first = { procedureId: option, isOnGithub, withDefaults: new Set<string>() }
  const withDefaults = await findDefaults(planConfigs(projects, first), root.dir, context)
  const addition = { ...first, withDefaults }
  return {
    root,
    projects,
    settings,
    service: { ...service, notes: [...service.notes, ...notes] },
    addition,
    configs: planConfigs(projects, addition),
    installs: await planInstalls(projects, root),
    credentials,
    ci: listCiSnippets(root.dir, {
      url: service.url,
      procedureId: option === undefined || isVariable ? (procedure?.id ?? 'your-procedure') : undefined,
    }),
    isInstalling: flags.install,
  }
}

/** A command has no place for the options of a reporter. */
function takesNoOption({ framework, calls }: TestProject): boolean {
  return framework.name === 'node:test' || calls.some(needsFlag)
}

function describeVariable({ framework }: TestProject, procedureId: string): string {
  return `${framework.name}: set RUNLEDGER_PROCEDURE_ID=${procedureId} where the tests run. Its command has no place for it.`
}

export function hasChanges({ configs, installs, credentials, service, isInstalling }: Plan): boolean {
  return (
    configs.some(({ status }) => status === 'changed') ||
    (isInstalling && installs.length > 0) ||
    credentials !== undefined ||
    service.procedure?.isNew === true
  )
}
