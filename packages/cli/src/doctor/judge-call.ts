import { resolveOptions } from '@runledger/core/tools'
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Fault } from './finding'
import { needsFlag } from '../config-files/add-flag'
import { locateReporter } from '../config-files/add-reporter'
import { findConfigFile, type TestProject } from '../project/find-projects'
import type { CommandContext } from '../command-context'
import { askFramework, type UsedReporter } from './ask-framework'
import { findMerge } from './find-merge'
import type { TestCall } from '../test-calls/test-call'
import { nameReporterFlag, readFlags } from '../test-calls/read-flags'

/** Whether a command uses the reporter. Its options are what the framework says, without functions. */
export type Verdict =
  | { status: 'recorded'; options: UsedReporter['options'] }
  | { status: 'bypassed'; fault: Fault }
  /** Nothing says that it does not, and the framework could not be asked, or what merges its results. */
  | { status: 'unknown'; reason: string }

interface Asked {
  project: TestProject
  /** Files are named relative to it. */
  root: string
}

/** Which reporters a command uses: what the framework says, else what stands in the command and the config. */
export async function judgeCall(
  call: TestCall,
  asked: Asked,
  { env, runNode }: CommandContext,
): Promise<Verdict> {
  if (isSwitchedOff(call)) return { status: 'bypassed', fault: describeSwitch(call) }
  const answer = runNode
    ? await askFramework(call, { runNode, env, root: asked.root })
    : { reason: 'no framework can be asked here' }
  const reporters = 'reporters' in answer ? answer.reporters : undefined
  const used = reporters?.find(({ name }) => isOurs(name, asked.project))
  if (used) return { status: 'recorded', options: used.options }
  const merge = findMerge(call, asked.project)
  if (merge !== undefined) return { status: 'unknown', reason: describeMerge(merge, asked.project) }
  const fault = findTextFault(call, asked)
  if (fault) return { status: 'bypassed', fault }
  if ('reason' in answer) return { status: 'unknown', reason: answer.reason }
  return { status: 'bypassed', fault: describeUse(call, answer.reporters, asked) }
}

function describeMerge(merge: string, { framework: { reporter } }: TestProject): string {
  return `its tests are recorded when ${merge} merges them, if playwright merge-reports has ${reporter}`
}

function isSwitchedOff({ env, dir }: TestCall): boolean {
  const { RUNLEDGER_DISABLED: value } = env
  if (value === undefined) return false
  try {
    return resolveOptions({}, { RUNLEDGER_DISABLED: value }, dir).disabled
  } catch {
    return false
  }
}

/** By its name, by a path into its package, or by the class of an instance. */
function isOurs(name: string, { framework: { reporter }, package: { dir } }: TestProject): boolean {
  if (name === reporter || name === 'RunledgerReporter') return true
  if (!path.isAbsolute(name)) return false
  try {
    const manifest = createRequire(path.join(dir, 'package.json')).resolve(`${reporter}/package.json`)
    return realpathSync(name).startsWith(path.dirname(realpathSync(manifest)) + path.sep)
  } catch {
    return false
  }
}

/** The fault that the command and its config have by what stands in them. */
function findTextFault(call: TestCall, asked: Asked): Fault | undefined {
  const { reporter } = asked.project.framework
  const { reporters, lastReporter } = readFlags(call)
  const isComputed = call.args.some((word) => word.isComputed)
  if (reporters.length > 0 && !lastReporter?.isComputed)
    return reporters.includes(reporter) ? undefined : describeOverride(call, asked)
  // The config may be in another folder, or only a shell knows its name.
  if (call.isDirComputed || isComputed) return undefined
  if (needsFlag(call)) return describeMissingFlag(call, asked)
  return findConfigFault(call, asked)
}

function findConfigFault(call: TestCall, { project, root }: Asked): Fault | undefined {
  const { framework, configFile } = project
  const code = 'reporter-not-configured'
  const fix = `Add it: npx runledger init, or by hand: ${framework.configLine}`
  if (configFile === undefined) {
    const { config } = readFlags(call)
    const found = config === undefined ? 'finds no config' : `names ${config}, which is not there`
    const place = path.relative(root, project.configDir) || '.'
    const message =
      call.script === undefined
        ? `there is no config in ${place}, so no reporter`
        : `${nameCall(call)} ${found}, so no reporter${describeUnusedConfig({ project, root })}`
    return { code, message, fix }
  }
  const name = path.relative(root, configFile)
  try {
    const place = locate(configFile, project)
    if (place === 'listed') return undefined
    const lead = call.script === undefined ? '' : `${nameCall(call)} uses ${name}, and `
    if (place === undefined)
      return {
        code,
        message: `${lead}${name} does not name ${framework.reporter}${describeUnusedConfig({ project, root })}`,
        fix,
      }
    return {
      code: 'reporter-misplaced',
      message: `${lead}${name} names ${framework.reporter} in a project only: ${framework.name} takes reporters from the root of the config`,
      fix: `Name it outside of the projects: npx runledger init, or by hand: ${framework.configLine}`,
    }
  } catch (error) {
    return {
      code: 'config-unreadable',
      message: `${name} cannot be read: ${(error as Error).message}`,
      fix: 'Correct the syntax of the config.',
    }
  }
}

function locate(file: string, { framework }: TestProject): ReturnType<typeof locateReporter> {
  return locateReporter({ file, text: readFileSync(file, 'utf8') }, framework)
}

/** The config that people would expect to be used, where it is another one. */
function describeUnusedConfig({ project, root }: Asked): string {
  const other = findConfigFile(project.package, project.framework)
  try {
    if (other === undefined || other === project.configFile || locate(other, project) !== 'listed') return ''
    return ` (${path.relative(root, other)} names it, but is not used)`
  } catch {
    return ''
  }
}

function describeSwitch(call: TestCall): Fault {
  return {
    code: 'disabled',
    message: `${nameCall(call)} sets RUNLEDGER_DISABLED, so nothing is recorded`,
    fix: 'Remove it from the script.',
  }
}

function describeOverride(call: TestCall, { project: { framework } }: Asked): Fault {
  const flag = nameReporterFlag(call)
  const { reporters } = readFlags(call)
  const item =
    framework.name === 'Playwright'
      ? `${flag}=${[...reporters, framework.reporter].join(',')}`
      : `${flag}=${framework.reporter}`
  const merge = reporters.includes('blob') ? '; or give it to playwright merge-reports' : ''
  return {
    code: 'reporter-overridden',
    message: `${nameCall(call)} names its reporters with ${flag}, which replace those of the config: ${reporters.join(', ')}`,
    fix: `Add the reporter there: npx runledger init, or by hand: ${item}${merge}`,
  }
}

function describeMissingFlag(call: TestCall, { project: { framework } }: Asked): Fault {
  const flag = nameReporterFlag(call)
  const why = call.program.isWrapper
    ? `gives ${framework.name} a config of its own`
    : 'has its config in the command'
  return {
    code: 'reporter-not-configured',
    message: `${nameCall(call)} ${why}, without ${framework.reporter}`,
    fix: `Add the reporter to the command: npx runledger init, or by hand: ${flag}=default ${flag}=${framework.reporter}`,
  }
}

/** Mentions a config that names the reporter but that the framework does not use. */
function describeUse(call: TestCall, reporters: readonly UsedReporter[], { project, root }: Asked): Fault {
  const { framework, configFile } = project
  const names = reporters.map(({ name }) => (path.isAbsolute(name) ? path.relative(root, name) : name))
  const named = configFile === undefined ? 'the config' : path.relative(root, configFile)
  return {
    code: 'reporter-not-used',
    message: `${nameCall(call)} uses the reporters ${names.join(', ')}: ${named} names ${framework.reporter}, but not in every case`,
    fix: `See what decides in ${named} (a variable, a mode), and name ${framework.reporter} in each case.`,
  }
}

/** `the script test (vitest run --reporter=dot)`, or the command that people type. */
export function nameCall({ script, program, args }: TestCall): string {
  const [name = ''] = program.names
  const words = [name, ...(program.command ? [program.command] : []), ...args.map(({ text }) => text)]
  return script === undefined ? `\`npx ${words.join(' ')}\`` : `the script ${script} (\`${words.join(' ')}\`)`
}
