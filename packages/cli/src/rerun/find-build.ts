import { readCiFacts } from '@runledger/core/tools'
import { type Build, canFillPath, type Client, describeBuild, type RunListItem } from '@runledger/protocol'
import { deriveCurrentGroup } from '../ask/failure'
import { listRunsWith, readVariable } from '../ask/runs'
import { CommandError, UsageError } from '../command-error'
import type { CommandContext, Surface } from '../command-context'
import { findFolder } from '../find-folder'
import { doubtCommit } from '../gate/read-account'
import { createPatience, type Patience, waitForBuild } from '../gate/wait-for-build'
import { toSafeLine } from '../plain-text'
import { SELECTABLE, type SelectableFramework } from './select-tests'

interface NamedBuild {
  build?: string
  commit?: string
  dir?: string
}

/** The flags that name a build whose tests run again. */
export interface RerunBuild extends NamedBuild {
  framework?: string
  allow?: 'incomplete'
  wait: number
}

/** A build that has ended, or that the user allows to be incomplete. */
export interface EndedBuild {
  build: Build
  framework: SelectableFramework
  /** All runs of the build, of other frameworks too. */
  runs: RunListItem[]
}

/** @throws CommandError when it is not known what is in the build */
export async function findEndedBuild(
  client: Client,
  flags: RerunBuild,
  { output, context }: Surface,
): Promise<EndedBuild> {
  const patience = createPatience(flags.wait, { output, context })
  const build = await findNamedBuild(client, flags, { context, patience })
  if (build.state !== 'passed' && build.state !== 'failed') {
    const message = `the build is ${describeBuild(build)}`
    if (flags.allow !== 'incomplete')
      throw new CommandError(
        `${message}, so what is in it is not known: to run what is on record, --allow incomplete`,
      )
    output.err(toSafeLine(`Allowed (incomplete): ${message}`))
  }
  const runs = await listRunsWith(client, 'group', build.group)
  return { build, runs, framework: selectFramework(runs, flags.framework) }
}

/** @throws UsageError when there are several, and none is named */
function selectFramework(runs: readonly RunListItem[], named: string | undefined): SelectableFramework {
  const all = [...new Set(runs.map((run) => readVariable(run, 'framework') ?? 'no framework'))]
  const [only = 'no framework', ...others] = named === undefined ? all : [named]
  if (others.length > 0)
    throw new UsageError(
      `the build has runs of ${all.join(', ')}: name with --framework what the command runs`,
    )
  const framework = SELECTABLE.find((each) => each === only)
  if (framework !== undefined && !all.includes(framework))
    throw new UsageError(`the build has no runs of ${framework}, only of ${all.join(', ')}`)
  if (framework !== undefined) return framework
  throw new UsageError(`the tests of ${only} cannot be selected, only those of ${SELECTABLE.join(', ')}`)
}

/**
 * The build that is named; else that of this CI job, or outside of a CI that of the commit that is checked out.
 * @throws CommandError when nothing of it is on record, or the group of this CI job is that of another commit
 */
async function findNamedBuild(
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
