import path from 'node:path'
import type { Fault } from '../doctor/finding'
import { describeCommand } from './package-manager'
import { type ConfigPlan, showChange } from './plan-changes'
import { hasChanges, type Plan } from './plan'

/** What is to be done, each change of a config as a diff. Nothing secret is in it. */
export function describePlan(plan: Plan): string {
  const { root, configs, service } = plan
  const blocks = [
    ...configs.map((each) => describeConfig(each, root.dir)),
    ...describeInstalls(plan),
    ...describeCredentials(plan),
    ...(service.procedure?.isNew ? [`Create the procedure ${service.procedure.id} on ${service.url}`] : []),
    ...service.notes,
  ]
  return `${blocks.join('\n\n')}\n`
}

function describeConfig(each: ConfigPlan, root: string): string {
  const { framework } = each.project
  const name = path.relative(root, each.file)
  switch (each.status) {
    case 'changed':
      return `${framework.name}: ${each.write.before === undefined ? 'create' : 'change'} ${name}\n${showChange(each.write, root)}`
    case 'present':
      return `${framework.name}: ${name} has the reporter already`
    case 'unreadable':
      return [
        `${framework.name}: ${name} ${each.reason}. It stays as it is: add this by hand`,
        `  ${each.line}`,
      ].join('\n')
  }
}

function describeInstalls({ installs, root, isInstalling }: Plan): string[] {
  return installs.map((call) => {
    const place = path.relative(root.dir, call.dir)
    const where = place === '' ? '' : ` (in ${place})`
    return `${isInstalling ? 'Run' : 'To install it yourself:'} ${describeCommand(call)}${where}`
  })
}

function describeCredentials({ credentials, root, settings: { url } }: Plan): string[] {
  if (!credentials) return []
  const name = path.relative(root.dir, credentials.file)
  return [
    `Create ${name} with the key and the address from ${url.from}: only you can read it, and git ignores it`,
  ]
}

export interface SetUp {
  plan: Plan
  isDone: boolean
  /** Causes that still keep commands from being recorded. */
  left: readonly Fault[]
}

export function describeResult({ plan, isDone, left }: SetUp): string {
  const { configs, ci, installs, isInstalling } = plan
  const byHand = left.length + configs.filter(({ status }) => status === 'unreadable').length
  const isComplete = byHand === 0 && (isInstalling || installs.length === 0)
  return [
    describeOutcome(plan, isDone),
    ...left.flatMap(({ message, fix }) => ['', `Not recorded yet: ${message}.`, `  ${fix}`]),
    ...(isDone && isComplete ? FINAL_WORDS : []),
    ...(isDone ? ['`npx runledger init --undo` takes it all back.'] : []),
    ...ci.flatMap(({ file, advice, code }) => ['', `${file} is here. ${advice}`, '', code]),
  ].join('\n')
}

const FINAL_WORDS = [
  'Run your tests as usual: the last line is the link.',
  'If there is no link, run npx runledger doctor.',
]

function describeOutcome(plan: Plan, isDone: boolean): string {
  if (isDone) return 'Done.'
  return hasChanges(plan) ? 'Nothing was changed: this is a dry run.' : 'Nothing is to be changed.'
}
