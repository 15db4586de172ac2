import { toPlainLine } from '@runledger/core/tools'
import path from 'node:path'
import { CommandError } from '../command-error'
import { writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface } from '../command-context'
import { type FileWrite, keepRecord, putBack, readIfThere, writeWhole } from './file-writes'
import type { Fault } from '../doctor/finding'
import { examineProject } from '../doctor/examine-project'
import { describePlan, describeResult, type SetUp } from './describe-plan'
import { findPackage } from '../project/find-packages'
import { findTestProjects } from '../project/find-projects'
import type { InitFlags } from './init-flags'
import { listManagedFiles, type PackageCommand, runPackageCommand } from './package-manager'
import { createPlan, hasChanges, type Plan } from './plan'
import { planConfigs } from './plan-changes'
import { createProcedure } from './service-plan'

export async function setUp(flags: InitFlags, surface: Surface): Promise<void> {
  const { output } = surface
  const plan = await createPlan(flags, surface)
  if (!flags.json) output.out(toPlainText(describePlan(plan)))
  if (flags.dryRun) return tell({ plan, isDone: false, left: [] }, flags, surface)
  const isDone = hasChanges(plan)
  if (isDone) {
    await ask(flags, surface)
    await carryOut(plan, surface)
  }
  const left = await listLeft(plan, surface)
  await tell({ plan, isDone, left }, flags, surface)
}

/** Lists the causes that still keep commands from being recorded. */
async function listLeft({ root: { dir }, configs }: Plan, { context }: Surface): Promise<Fault[]> {
  if (!context.runNode) return []
  const shown = configs.flatMap(({ status, file }) => (status === 'unreadable' ? [file] : []))
  const found: Fault[] = []
  for (const project of findTestProjects(findPackage(dir))) {
    if (shown.includes(project.configFile ?? '')) continue
    const calls = await examineProject(project, dir, context)
    found.push(...calls.flatMap(({ verdict }) => (verdict.status === 'bypassed' ? [verdict.fault] : [])))
  }
  return found
}

async function ask({ yes }: InitFlags, { context: { confirm } }: Surface): Promise<void> {
  if (yes) return
  if (confirm === undefined)
    throw new CommandError('nothing was changed: there is no terminal to confirm on, so add --yes')
  if (!(await confirm('Do this?'))) throw new CommandError('nothing was changed')
}

/** Installs first: if that fails, no config names a reporter that is missing. */
async function carryOut(plan: Plan, { context: { env } }: Surface): Promise<void> {
  const { root, service, settings, projects, credentials, addition } = plan
  if (service.procedure?.isNew) await createProcedure(service.procedure.id, { settings, root, env })
  const installs = plan.isInstalling ? plan.installs : []
  const installed = await install(installs, root.dir)
  // Read anew: a package manager may have written the package.json that a config is in.
  const configs = planConfigs(projects, addition).flatMap((each) =>
    each.status === 'changed' ? [each.write] : [],
  )
  const writes = [...configs, ...(credentials ? [credentials] : [])]
  await keepRecord(root.dir, {
    writes: joinWrites([...installed, ...writes]),
    installs: installs.map(({ dir, packages }) => ({
      dir: path.relative(root.dir, dir),
      packages: [...packages],
    })),
  })
  for (const write of writes) await writeWhole(write)
}

/** Returns what the package managers changed, except folders of packages. */
async function install(installs: readonly PackageCommand[], root: string): Promise<FileWrite[]> {
  const files = [...new Set(installs.flatMap(({ dir }) => listManagedFiles(dir, root)))]
  const before = files.map((file) => ({ file, before: readIfThere(file) }))
  try {
    for (const call of installs) await runPackageCommand(call)
  } catch (error) {
    for (const each of before) await putBack(each)
    throw error
  }
  return before.flatMap((each) => {
    const after = readIfThere(each.file)
    return after === undefined || each.before?.equals(after) ? [] : [{ ...each, after }]
  })
}

/** One write for each file: from what was there before the first to what is there after the last. */
function joinWrites(writes: readonly FileWrite[]): FileWrite[] {
  const joined = new Map<string, FileWrite>()
  for (const write of writes) {
    const earlier = joined.get(write.file)
    joined.set(write.file, earlier ? { ...write, before: earlier.before } : write)
  }
  return [...joined.values()]
}

async function tell(result: SetUp, flags: InitFlags, { output }: Surface): Promise<void> {
  const { plan, isDone, left } = result
  if (!flags.json) return output.out(toPlainText(describeResult(result)))
  const relative = (file: string): string => path.relative(plan.root.dir, file)
  writeJson(output, {
    done: isDone,
    configs: plan.configs.map((each) => ({
      framework: each.project.framework.name,
      file: relative(each.file),
      status: each.status,
      reason: each.status === 'unreadable' ? toPlainLine(each.reason) : null,
      line: each.status === 'unreadable' ? each.line : null,
    })),
    packages: plan.installs.map(({ dir, packages, command, args }) => ({
      folder: relative(dir) || '.',
      packages,
      command: [command, ...args].join(' '),
      installed: isDone && plan.isInstalling,
    })),
    procedure: plan.service.procedure?.id ?? null,
    credentials: plan.credentials ? relative(plan.credentials.file) : null,
    notes: plan.service.notes,
    left: left.map(({ message, fix }) => ({ message: toPlainLine(message), fix })),
    ci: plan.ci,
  })
}
