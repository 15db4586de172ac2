import { resolveOptions } from '../config/resolve-options'
import { readCiFacts } from '../environment/ci'
import { PackageFinder } from '../environment/package'
import { findGroup } from '../environment/report-variables'
import type { AskedShard, ShardAsker } from './ask-for-shard'

export interface Shard {
  index: number
  total: number
}

export interface ShardedSuite {
  framework: string
  shard: Shard
  /** All test files of the suite, relative to the project root. */
  files: readonly string[]
  /** Distinguishes suites of one build. @default the variable RUNLEDGER_SHARD_NAME, else the package's name */
  name?: string | undefined
  /** A part of the suite that the framework divides on its own. */
  part?: string | undefined
}

export interface ShardRequest {
  asked: AskedShard
  group: string | undefined
}

const MAX_NAME_LENGTH = 255

/** Names the build of the shard by its group, else by its commit. @throws ConfigError */
export async function createShardRequest(
  { framework, shard, files, name, part }: ShardedSuite,
  { options, env, projectRoot }: Omit<ShardAsker, 'clock'>,
): Promise<ShardRequest> {
  const { procedureId, group: option } = resolveOptions(options, env, projectRoot)
  const facts = await readCiFacts(env, projectRoot)
  const group = findGroup(option, facts)
  const suiteName = name ?? findSuiteName(env, projectRoot)
  const fullName = [suiteName, part].filter(Boolean).join(' ').slice(0, MAX_NAME_LENGTH)
  const asked = {
    procedure_id: typeof procedureId === 'string' ? procedureId : undefined,
    build: group ?? facts.commit,
    framework,
    ...(fullName !== '' && { name: fullName }),
    shard_index: shard.index,
    shard_total: shard.total,
    files: [...files],
  }
  return { asked, group }
}

/** The variable RUNLEDGER_SHARD_NAME, else the name of the nearest package. */
function findSuiteName(env: ShardAsker['env'], projectRoot: string): string | undefined {
  const variable = env['RUNLEDGER_SHARD_NAME']?.trim()
  if (variable) return variable
  const { name, isUnnamed } = new PackageFinder(projectRoot).findOf([])
  return isUnnamed ? undefined : name
}

/** The files of a shard without a plan: shards take turns by the files' names, as in a plan that the service makes by count. */
export function divideByCount(files: readonly string[], { index, total }: Shard): string[] {
  return [...new Set(files)].toSorted().filter((_, at) => at % total === index - 1)
}

const MAX_LISTED = 10

/** Lists files of the plan that a shard does not have. No other shard runs them. */
export function describeAbsent({ index }: Shard, absent: readonly string[]): string {
  return `another shard found ${countFiles(absent)} that shard ${index} should run and does not have: ${listSome(absent)}. If the shards run different suites or systems, give each of these a name of its own (RUNLEDGER_SHARD_NAME, or --name of runledger shard).`
}

export function countFiles(files: readonly string[]): string {
  return files.length === 1 ? '1 file' : `${files.length} files`
}

export function listSome(files: readonly string[]): string {
  const left = files.length - MAX_LISTED
  return [...files.slice(0, MAX_LISTED), ...(left > 0 ? [`${left} more`] : [])].join(', ')
}
