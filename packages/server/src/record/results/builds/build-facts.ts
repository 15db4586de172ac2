import {
  MAX_ADDRESS_LENGTH,
  MAX_SHORT_LENGTH,
  MAX_TEXT_LENGTH,
  type MetadataValue,
  shortenText,
} from '@runledger/protocol'
import type { BuildsTable } from '../../../storage/database/schema/history'

/** An empty text names nothing: some clients send a variable of their environment, set or not. */
export interface HistoryFacts {
  build: BuildFacts
  environment: string | null
  rerun: string | null
  shard: string | null
  file: string | undefined
  project: string | undefined
}

export type BuildFacts = Omit<BuildsTable, 'id' | 'group_digest' | 'started_at_us' | 'created_at_us'>

const HISTORY_VARIABLES = [
  'group',
  'git_branch',
  'git_commit',
  'git_commit_subject',
  'git_author',
  'git_default_branch',
  'pull_request',
  'ci_event',
  'ci_rerun',
  'ci_build_url',
  'repository',
  'os',
  'node',
  'framework',
  'shard',
  'shard_index',
  'shard_total',
  'file',
  'project',
] as const

type Variable = (typeof HISTORY_VARIABLES)[number]
type Variables = { [Name in Variable]?: string | undefined }

const NAMES: ReadonlySet<string> = new Set(HISTORY_VARIABLES)

export function isHistoryVariable(name: string): boolean {
  return NAMES.has(name)
}

/** Undefined without group, branch and commit: the run is not about software. A run without a group is a build of its own. */
export function readHistoryFacts(
  entries: readonly (readonly [name: string, value: MetadataValue])[],
  publicId: string,
): HistoryFacts | undefined {
  const known: Variables = {}
  for (const [name, value] of entries)
    if (isHistoryVariable(name) && typeof value === 'string' && value !== '')
      known[name as Variable] = shortenFact(name as Variable, value)
  const { group, git_branch: branch, git_commit: commit, file, project } = known
  if (group === undefined && branch === undefined && commit === undefined) return undefined
  return {
    build: readBuildFacts(group ?? `run ${publicId}`, known),
    environment: findEnvironment(known),
    rerun: known.ci_rerun ?? null,
    shard: findShard(known),
    file,
    project,
  }
}

/** Lists repeat variables for each build and result; files and projects are stored once. */
const MAX_LENGTHS: { [Name in Variable]?: number } = {
  file: MAX_TEXT_LENGTH,
  project: MAX_TEXT_LENGTH,
  ci_build_url: MAX_ADDRESS_LENGTH,
  repository: MAX_ADDRESS_LENGTH,
}

/** A long one is cut, and gets a hash of all of it. */
export function shortenFact(name: Variable, value: string): string {
  return shortenText(value, MAX_LENGTHS[name] ?? MAX_SHORT_LENGTH)
}

/** None of the variables is empty. */
export function readBuildFacts(group: string, known: Variables): BuildFacts {
  return {
    group_name: group,
    branch: known.git_branch ?? null,
    git_commit: known.git_commit ?? null,
    commit_subject: known.git_commit_subject ?? null,
    author: known.git_author ?? null,
    pull_request: known.pull_request ?? null,
    event: known.ci_event ?? null,
    ci_build_url: known.ci_build_url ?? null,
    repository: known.repository ?? null,
    default_branch: known.git_default_branch ?? null,
  }
}

/** Of `linux 6.8.0-45-generic x64` and `v22.13.0`, machines of one kind differ in the rest. */
export function findEnvironment({ os, node }: Pick<Variables, 'os' | 'node'>): string | null {
  const parts = [os?.split(' ', 1)[0], node?.split('.', 1)[0]].filter((part) => part !== undefined)
  return parts.length === 0 ? null : parts.join(' ')
}

const SHARD = /^\d{1,6}\/\d{1,6}$/

function findShard({
  framework = '',
  shard,
  shard_index: index,
  shard_total: total,
}: Variables): string | null {
  const text = index !== undefined && total !== undefined ? `${index}/${total}` : (shard ?? '')
  return SHARD.test(text) ? `${framework} ${text}` : null
}
