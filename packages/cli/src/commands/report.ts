import { type Command, InvalidArgumentError } from 'commander'
import type { CommandContext, Surface } from '../command-context'
import { UsageError } from '../command-error'
import { DIR_OPTION } from '../find-folder'
import { toLine } from '../gate/describe-result'
import { judge, type Result } from '../gate/judge'
import { createPatience } from '../gate/wait-for-build'
import { type Output, writeJson } from '../output'
import { readJobFacts } from '../report/job-facts'
import { readDetails } from '../report/read-details'
import type { CommentAction } from '../report/write-comment'
import { type Choice, writeReport, type Written } from '../report/write-report'
import { createWaitOption } from '../duration-options'
import { type ServiceFlags, URL_OPTION } from '../with-service'
import { findAsked, readFromService } from './gate'

interface ReportFlags extends ServiceFlags, Choice {
  wait: number
}

const HELP = `
Run it once for a build, after all jobs with tests. It needs the token of the CI:
  GitHub Actions  GITHUB_TOKEN, with the permissions pull-requests: write and checks: write (or statuses: write)
  GitLab CI       GITLAB_TOKEN, an access token of the project with the scope api: GitLab's job token may not comment
The exit code is 0 whatever it reports, and even if it cannot: runledger gate decides. It is 2 for a command line or a
setting that makes no sense.`

export function registerReport(program: Command, output: Output, context: CommandContext): void {
  program
    .command('report')
    .description('Write the result of a build to its pull request on GitHub or GitLab, from CI.')
    .argument('[group]', 'the group of the build')
    .option('--name <name>', 'distinguishes several reports of one job, and names the check', parseName, '')
    .option('--always', 'comment even if the build passed')
    .option('--no-comment', 'write no comment')
    .option('--no-status', 'write neither a check nor a commit status')
    .addOption(createWaitOption())
    .option(...URL_OPTION)
    .option(...DIR_OPTION)
    .option('--json', 'print one line of JSON: {"build", "comment", "status", "problems"}')
    .addHelpText('after', HELP)
    .action((group: string | undefined, flags: ReportFlags) => report(group, flags, { output, context }))
}

function parseName(name: string): string {
  if (/^\w+(?:[ ./-]\w+)*$/.test(name) && name.length <= MAX_NAME) return name
  throw new InvalidArgumentError(`Give at most ${MAX_NAME} letters and digits, with single - . / between.`)
}

const MAX_NAME = 50

async function report(
  given: string | undefined,
  flags: ReportFlags,
  { output, context }: Surface,
): Promise<void> {
  const job = await readJobFacts(context.env)
  if (!job) throw new UsageError('this is no job of GitHub Actions or GitLab CI')
  const result = await readResult(given, flags, { output, context })
  const details = await readDetails(flags, context, result.failures)
  const isNamed = given !== undefined || Boolean(context.env['RUNLEDGER_GROUP']?.trim())
  const written = await writeReport(job, { result, details, choice: flags, isNamed }, context)
  if (flags.json) writeJson(output, { build: result.build, ...written })
  else tell(written, result, output)
}

function tell({ comment, status, problems }: Written, { build }: Result, output: Output): void {
  if (comment && (build || comment.action !== 'none'))
    output.out(toLine([ACTIONS[comment.action], comment.url].filter(Boolean).join(': ')))
  if (status) output.out(`${status.kind === 'check' ? 'Check' : 'Commit status'} written: ${status.title}`)
  for (const problem of problems) output.err(`Not reported: ${toLine(problem)}`)
}

const ACTIONS: Record<CommentAction, string> = {
  created: 'Comment written',
  edited: 'Comment edited',
  unchanged: 'Comment is up to date',
  none: 'No comment, because the build passed',
  later: 'No comment, because a later build has written one',
}

async function readResult(given: string | undefined, flags: ReportFlags, surface: Surface): Promise<Result> {
  const failOn = new Set(['new'] as const)
  const patience = createPatience(flags.wait, surface)
  const asked = { ...(await findAsked(given, flags, surface.context)), failOn, patience }
  return judge(await readFromService(flags, surface.context, asked), { failOn, allowed: new Set() })
}
