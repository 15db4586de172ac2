import { readCiFacts } from '@runledger/core/tools'
import { canFillPath } from '@runledger/protocol'
import { type Command, InvalidArgumentError } from 'commander'
import { findCurrentGroup } from '../ask/failure'
import type { CommandContext, Surface } from '../command-context'
import { ReportedError, UsageError } from '../command-error'
import { DIR_OPTION, findFolder } from '../find-folder'
import { describeResult, formatResult } from '../gate/describe-result'
import { DOUBTS, type DoubtName, doubtService } from '../gate/doubt'
import { type Account, CRITERIA, type Criterion, judge } from '../gate/judge'
import { type Asked, readAccount } from '../gate/read-account'
import { createPatience } from '../gate/wait-for-build'
import type { Output } from '../output'
import { findSettings } from '../service-settings'
import { createWaitOption } from '../duration-options'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface GateFlags extends ServiceFlags {
  failOn?: Criterion[]
  allow?: DoubtName[]
  wait: number
}

const HELP = `
Without a group, it judges the build of this CI job. It fails for whatever it cannot know, unless --allow names it:
  flaky         a flaky test failed, and the merge base or the default branch does not excuse it
  incomplete    when the wait ends, the build still runs, or a part of it is missing
  no-basis      a failure cannot be classified as new or known: the record does not show which
  no-build      nothing of the build is on record
  no-duration   with --fail-on slower: there is no build to compare with
  no-key        no key is set, or the service does not accept it
  no-service    the service does not respond, or responds with an error
  no-tests      all tests were skipped
  not-compared  a failed run may hide other failures, such as one that was cut short
  other-commit  RUNLEDGER_GROUP names a build of another commit than that of this job
The exit code is 0 if the gate passes, 1 if it fails, 2 for a command line or a setting that makes no sense.`

export function registerGate(program: Command, output: Output, context: CommandContext): void {
  program
    .command('gate')
    .description('Fail a CI job when its build has new failures, over all shards.')
    .argument('[group]', 'the group of the build')
    .option(
      '--fail-on <what>',
      `${CRITERIA.join(', ')} (default: new); may come several times`,
      collectOneOf(CRITERIA),
    )
    .option(
      '--allow <what>',
      'what may stay unknown (see below); may come several times',
      collectOneOf(DOUBTS),
    )
    .addOption(createWaitOption())
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option(
      '--json',
      'print one line of JSON: {"passed", "reasons", "build", "failures", "slower", "unknown", …}',
    )
    .addHelpText('after', HELP)
    .action((group: string | undefined, flags: GateFlags) => gate(group, flags, { output, context }))
}

async function gate(
  given: string | undefined,
  flags: GateFlags,
  { output, context }: Surface,
): Promise<void> {
  const failOn = new Set<Criterion>(flags.failOn ?? ['new'])
  const allowed = new Set(flags.allow)
  if (flags.failOn?.includes('incomplete') && allowed.has('incomplete'))
    throw new UsageError('--fail-on incomplete and --allow incomplete exclude each other')
  const patience = createPatience(flags.wait, { output, context })
  const asked = { ...(await findAsked(given, flags, context)), failOn, patience }
  const result = judge(await readFromService(flags, context, asked), { failOn, allowed })
  output.out(flags.json ? formatResult(result) : describeResult(result))
  if (!result.passed) throw new ReportedError()
}

/** A group from the environment may belong to another build, so this job's commit is returned, too. @throws UsageError without a group */
export async function findAsked(
  given: string | undefined,
  { dir }: GateFlags,
  { env, cwd }: CommandContext,
): Promise<Pick<Asked, 'group' | 'commit'>> {
  const folder = findFolder(dir, cwd)
  const group = given ?? (await findCurrentGroup({ env, cwd: folder }))
  if (group === undefined)
    throw new UsageError('which build? Name its group, or set RUNLEDGER_GROUP: this is no job of a known CI')
  if (!canFillPath(group)) throw new UsageError(`"${group}" is no group of a build`)
  const { ci, commit } = given === undefined ? await readCiFacts(env, folder) : {}
  return { group, commit: ci === undefined ? undefined : commit }
}

/** @throws ConfigError for invalid settings */
export async function readFromService(
  flags: GateFlags,
  context: CommandContext,
  asked: Asked,
): Promise<Account> {
  const { apiKey, credentialsProblem } = findSettings(flags, context)
  if (apiKey.value === undefined && credentialsProblem === undefined)
    return { doubts: [{ name: 'no-key', message: 'no key is set: set RUNLEDGER_API_KEY' }] }
  try {
    return await withService(flags, context, ({ client }) => readAccount(client, asked))
  } catch (error) {
    return { doubts: [doubtService(error)] }
  }
}

function collectOneOf<Name extends string>(names: readonly Name[]) {
  return (value: string, earlier: Name[] = []): Name[] => {
    const name = names.find((each) => each === value)
    if (name === undefined) throw new InvalidArgumentError(`There are: ${names.join(', ')}.`)
    return [...earlier, name]
  }
}
