import {
  ConfigError,
  findSpoolDir,
  messageOf,
  type OptionTrace,
  resolveOptions,
  traceOptions,
} from '@runledger/core/tools'
import { findFolder } from '../find-folder'
import type { TestProject } from '../project/find-projects'
import { type ConfiguredOptions, findSettings } from '../service-settings'
import type { CommandContext } from '../command-context'
import { findRuns } from '../find-runs'
import { mapSome } from '../map-some'
import { withoutSwitch } from '../with-service'
import { type ExaminedCall, examineProject } from './examine-project'
import { examineService } from './examine-service'
import { examineSpool } from './examine-spool'
import { fault, type Finding, notChecked, ok } from './finding'
import { listUnreadScripts } from './unread-scripts'
import { findProjects, isDistrusted, NO_OPTIONS, readWritten } from './written-options'

export interface DoctorFlags {
  dir?: string
  /** False: no run is created and deleted. */
  run: boolean
  json?: boolean
}

/** A config, with every option that its reporter has there. */
export interface Examined {
  /** Undefined where no config gives options: those that every reporter in the folder has. */
  project: TestProject | undefined
  options: readonly OptionTrace[]
  computed: readonly string[]
}

export interface Examinations {
  folder: string
  examined: readonly Examined[]
  findings: readonly Finding[]
}

/** Each is a process of its own. */
const FRAMEWORKS_AT_ONCE = 4

/** Looks at everything between a test and its run on record. */
export async function examine(flags: DoctorFlags, context: CommandContext): Promise<Examinations> {
  const folder = findFolder(flags.dir, context.cwd)
  const projects = findProjects(folder)
  const findings: Finding[] = projects.length === 0 ? [NO_FRAMEWORK] : []
  const all: Configured[] = []
  const examinedProjects = await mapSome(projects, FRAMEWORKS_AT_ONCE, async (project) => ({
    project,
    calls: await examineProject(project, folder, context),
  }))
  for (const { project, calls } of examinedProjects) {
    findings.push(...calls.map(({ finding }) => finding))
    if (isDistrusted(project, folder, context.env)) continue
    all.push(...calls.map((each) => readConfigured(project, each, context.env)))
  }
  findings.push(...listUnreadScripts(folder))
  const examined: Examined[] = []
  for (const given of chooseConfigured(all, context.env)) {
    const found = await examineConfigured(given, { folder, flags, context })
    if (found.options) examined.push({ ...given, ...found.options })
    findings.push(...found.findings)
  }
  return { folder, examined, findings: withoutRepeats(findings) }
}

async function examineConfigured(
  { project, configured, env }: Configured,
  { folder, flags, context }: { folder: string; flags: DoctorFlags; context: CommandContext },
): Promise<{ options?: Pick<Examined, 'options' | 'computed'>; findings: Finding[] }> {
  const dir = project?.package.dir ?? folder
  try {
    const options = traceOptions(configured.options, env, dir)
    const checked = examineOptions(configured, { dir, env })
    const delivery = await examineDelivery(configured, { dir, flags, context: { ...context, env } })
    return { options: { options, computed: configured.computed }, findings: [...checked, ...delivery] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const message = messageOf(error)
    const fix = 'Correct or remove that setting.'
    return { findings: [fault('options', { code: 'option-invalid', message, fix })] }
  }
}

const NO_FRAMEWORK = fault('frameworks', {
  code: 'no-framework',
  message: 'no test framework was found: package.json names none of jest, vitest and @playwright/test',
  fix: 'Run this in the folder of your tests, or name it with --dir.',
})

interface Configured {
  project: TestProject | undefined
  configured: ConfiguredOptions
  /** With the variables that a script sets. */
  env: CommandContext['env']
}

/** One for each set of options and variables; configs without options share the folder's. */
function chooseConfigured(all: readonly Configured[], env: CommandContext['env']): Configured[] {
  const own = all.filter(
    (each) =>
      each.env !== env || Object.keys(each.configured.options).length + each.configured.computed.length > 0,
  )
  if (own.length === 0) return [{ project: undefined, configured: NO_OPTIONS, env }]
  const keys = own.map(({ project, configured, env: its }) =>
    JSON.stringify([project?.configFile, configured, its === env ? 0 : its]),
  )
  return own.filter((_, index) => keys.indexOf(keys[index] ?? '') === index)
}

/** The options that the framework named; functions, and all options where it was not asked, come from the config's text. */
function readConfigured(
  project: TestProject,
  { call, verdict }: ExaminedCall,
  env: CommandContext['env'],
): Configured {
  const own = call && Object.keys(call.env).some((name) => name.startsWith('RUNLEDGER_'))
  const withCall = own ? { ...env, ...call.env, RUNLEDGER_DISABLED: env['RUNLEDGER_DISABLED'] } : env
  const fromConfig = readWritten(project, withCall)
  const computedEnv = (call?.computedEnv ?? []).flatMap((name) => nameComputedOption(name) ?? [])
  const written = { ...fromConfig, computed: [...new Set([...fromConfig.computed, ...computedEnv])] }
  if (verdict.status !== 'recorded' || !call) return { project, configured: written, env: withCall }
  const options = verdict.options as ConfiguredOptions['options']
  const isResolved = (name: string): boolean => name in options || ['others', 'options'].includes(name)
  const computed = written.computed.filter((name) => !isResolved(name))
  return { project, configured: { options, computed }, env: withCall }
}

/** The option of a variable: `apiKey` for `RUNLEDGER_API_KEY`. */
function nameComputedOption(variable: string): string | undefined {
  const [, name] = /^RUNLEDGER_(\w+)$/.exec(variable) ?? []
  return name?.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

function examineOptions(
  { options }: ConfiguredOptions,
  { dir, env }: { dir: string; env: CommandContext['env'] },
): Finding[] {
  if (resolveOptions(options, env, dir).disabled)
    return [
      fault('options', {
        code: 'disabled',
        message: 'reporters record nothing: disabled (RUNLEDGER_DISABLED) is set',
        fix: 'Unset it.',
      }),
    ]
  const { warnings } = resolveOptions(options, env, dir)
  if (warnings.length === 0) return [ok('options', 'can be used')]
  const fix = 'Correct the name, or remove it.'
  return warnings.map((message) => fault('options', { code: 'option-unknown', message, fix }))
}

async function examineDelivery(
  configured: ConfiguredOptions,
  { dir, flags, context }: { dir: string; flags: DoctorFlags; context: CommandContext },
): Promise<Finding[]> {
  const { options } = configured
  const env = withoutSwitch(context.env)
  const settings = findSettings({ dir }, context, configured)
  const { spoolDir } = resolveOptions({ ...options, disabled: false }, env, dir)
  const runs = await findRuns({ dir }, { ...context, env }).catch(() => [])
  const waiting = runs.filter(({ state }) => state !== 'quarantined').length
  const spool = await examineSpool(findSpoolDir(spoolDir, env, dir), waiting)
  const unknown = configured.computed.filter((name) => OF_CONNECTION.includes(name))
  if (unknown.length > 0)
    return [notChecked('service', `only running the tests shows ${unknown.join(', ')}`), spool]
  return [...(await examineService({ settings, options, env, projectRoot: dir, withRun: flags.run })), spool]
}

/** If one of these is computed, the reporter's service or its key is unknown. */
const OF_CONNECTION = ['url', 'apiKey', 'caFile', 'clientCertFile', 'clientKeyFile', 'others', 'options']

/** Several configs may share a service and a fault. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const texts = findings.map((finding) => JSON.stringify(finding))
  return findings.filter((_, index) => texts.indexOf(texts[index] ?? '') === index)
}
