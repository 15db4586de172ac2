import { ApiError, NetworkError, type Service } from '@runledger/core/tools'
import { canFillPath } from '@runledger/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findCurrentGroup } from '../ask/failure'
import { SYSTEM_CLOCK } from '../clock'
import type { CommandContext, Surface } from '../command-context'
import { ReportedError, UsageError } from '../command-error'
import { DIR_OPTION, findFolder } from '../find-folder'
import { describeResult } from '../gate/describe-result'
import {
  type Account,
  CRITERIA,
  type Criterion,
  type Doubt,
  doubtBuild,
  DOUBTS,
  type DoubtName,
  judge,
} from '../gate/judge'
import { readFailures } from '../gate/read-failures'
import { readSlower } from '../gate/read-slower'
import { type Patience, waitForBuild } from '../gate/wait-for-build'
import { type Output, writeJson } from '../output'
import { toPlainText } from '../plain-text'
import { findSettings } from '../service-settings'
import { type ServiceFlags, URL_OPTION, withService } from '../with-service'

interface GateFlags extends ServiceFlags {
  failOn?: Criterion[]
  allow?: DoubtName[]
  wait: number
}

const DEFAULT_WAIT = '5m'

const HELP = `
Without a group, it decides on the build of this CI job. What it could not know fails it, unless --allow names it:
  incomplete    the build still runs at the end of the wait, or a part of it is missing
  no-basis      a failure, or a duration, has nothing to be compared with
  no-build      nothing of the build is on record
  no-key        no key is set, or the service does not accept it
  no-service    the service does not respond, or responds with an error
  not-compared  a run failed without a failure that the service compares, or it did not compare all failures
Exit code 0 only when the gate passes.`

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
    .option('--allow <what>', 'what may stay unknown; may come several times', collectOneOf(DOUBTS))
    .addOption(
      new Option('--wait <time>', 'how long to wait for a build that still runs: 0, 90s, 5m or 1h')
        .argParser(parseWait)
        .default(parseWait(DEFAULT_WAIT), DEFAULT_WAIT),
    )
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"passed", "build", "failures", "slower", "unknown", …}')
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
  const group = await findGroup(given, flags, context)
  const patience = {
    waitMs: flags.wait,
    clock: context.clock ?? SYSTEM_CLOCK,
    tell: (text: string) => output.err(toPlainText(text)),
  }
  const account = await readAccount(flags, context, (service) =>
    readBuild(service, { group, failOn, patience }),
  )
  const result = judge(account, { failOn, allowed })
  if (flags.json) writeJson(output, result)
  else output.out(describeResult(result))
  if (!result.passed) throw new ReportedError()
}

/** @throws UsageError when no build is named */
async function findGroup(
  given: string | undefined,
  { dir }: GateFlags,
  { env, cwd }: CommandContext,
): Promise<string> {
  const group = given ?? (await findCurrentGroup({ env, cwd: findFolder(dir, cwd) }))
  if (group === undefined)
    throw new UsageError('which build? Name its group, or set RUNLEDGER_GROUP: this is no job of a known CI')
  if (!canFillPath(group)) throw new UsageError(`"${group}" is no group of a build`)
  return group
}

/** @throws ConfigError for settings that make no sense */
async function readAccount(
  flags: GateFlags,
  context: CommandContext,
  read: (service: Service) => Promise<Account>,
): Promise<Account> {
  const { apiKey, credentialsProblem } = findSettings(flags, context)
  if (apiKey.value === undefined && credentialsProblem === undefined)
    return { doubts: [{ name: 'no-key', message: 'no key is set: set RUNLEDGER_API_KEY' }] }
  try {
    return await withService(flags, context, read)
  } catch (error) {
    return { doubts: [doubtService(error)] }
  }
}

/** @throws what the service has not caused */
function doubtService(error: unknown): Doubt {
  if (error instanceof NetworkError) return { name: 'no-service', message: error.message }
  if (!(error instanceof ApiError)) throw error
  const isRefused = error.statusCode === 401 || error.statusCode === 403
  return { name: isRefused ? 'no-key' : 'no-service', message: error.message }
}

interface Asked {
  group: string
  failOn: ReadonlySet<Criterion>
  patience: Patience
}

async function readBuild({ client }: Service, { group, failOn, patience }: Asked): Promise<Account> {
  const build = await waitForBuild(client, group, patience)
  if (!build) return { doubts: [{ name: 'no-build', message: `nothing of the build ${group} is on record` }] }
  const found = build.runs.failed > 0 ? await readFailures(client, build) : undefined
  const slower = failOn.has('slower') ? await readSlower(client, build) : undefined
  if (typeof slower !== 'string') return { build, found, slower, doubts: doubtBuild(build) }
  const message = `durations cannot be compared: ${slower}`
  return { build, found, doubts: [...doubtBuild(build), { name: 'no-basis', message }] }
}

function collectOneOf<Name extends string>(names: readonly Name[]) {
  return (value: string, earlier: Name[] = []): Name[] => {
    const name = names.find((each) => each === value)
    if (name === undefined) throw new InvalidArgumentError(`There are: ${names.join(', ')}.`)
    return [...earlier, name]
  }
}

const MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }

function parseWait(value: string): number {
  const [, number, unit = ''] = /^(\d{1,5})([smh])$/.exec(value) ?? []
  if (value !== '0' && number === undefined) throw new InvalidArgumentError('Give 0, 90s, 5m or 1h.')
  return Number(number ?? 0) * (MS[unit] ?? 0)
}
