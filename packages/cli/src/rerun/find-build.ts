import { readCiFacts } from '@runledger/core/tools'
import { type Build, canFillPath, type Client } from '@runledger/protocol'
import { deriveCurrentGroup } from '../ask/failure'
import { listRunsWith, readVariable } from '../ask/runs'
import { CommandError, UsageError } from '../command-error'
import type { CommandContext } from '../command-context'
import { findFolder } from '../find-folder'
import { doubtCommit } from '../gate/read-account'
import { type Patience, waitForBuild } from '../gate/wait-for-build'

export interface NamedBuild {
  build?: string
  commit?: string
  dir?: string
}

/**
 * The build that is named; else that of this CI job, or outside of a CI that of the commit that is checked out.
 * @throws CommandError when nothing of it is on record, or the group of this CI job is that of another commit
 */
export async function findFailedBuild(
  client: Client,
  named: NamedBuild,
  { context, patience }: { context: CommandContext; patience: Patience },
): Promise<Build> {
  if (named.build !== undefined && named.commit !== undefined)
    throw new UsageError('--build and --commit exclude each other')
  const facts = await readCiFacts(context.env, findFolder(named.dir, context.cwd))
  const isNamed = named.build !== undefined || named.commit !== undefined
  const current = isNamed ? undefined : deriveCurrentGroup(context.env, facts)
  const group = named.build ?? current ?? (await findGroupOfCommit(client, named.commit ?? facts.commit))
  if (!canFillPath(group)) throw new UsageError(`"${group}" is no group of a build`)
  const { build, doubts } = await waitForBuild(client, group, patience)
  const ofOther = build && current !== undefined && facts.ci !== undefined && doubtCommit(build, facts.commit)
  const [doubt = ofOther || undefined] = doubts
  if (build && !doubt) return build
  throw new CommandError(doubt?.message)
}

const MAX_BUILDS = 50

/** The newest of a CI; without any, the newest that is no rerun. */
async function findGroupOfCommit(client: Client, commit: string | undefined): Promise<string> {
  if (commit === undefined)
    throw new UsageError(
      'which build? Name it with --build or --commit: this is no job of a known CI, and no git repository',
    )
  const { data } = await client.listBuilds({ query: { commits: [commit], limit: MAX_BUILDS } })
  const ofCi = data.find(({ ci_build_url: url }) => url !== null)
  if (ofCi) return ofCi.group
  for (const { group } of data) if (!(await isRerunOnly(client, group))) return group
  throw new CommandError(`no build of the commit ${commit} is on record`)
}

/** What `runledger run --failed` left on record outside of a CI: it may lack tests that failed before. */
async function isRerunOnly(client: Client, group: string): Promise<boolean> {
  const runs = await listRunsWith(client, 'group', group)
  return runs.every((run) => readVariable(run, 'failed_rerun') !== undefined)
}
