import { readCiFacts, toPlainLine } from '@runledger/core/tools'
import { cutWell } from '@runledger/protocol'
import { appendFile, stat } from 'node:fs/promises'
import { SYSTEM_CLOCK } from '../clock'
import type { CommandContext } from '../command-context'
import type { Result } from '../gate/judge'
import { isSameCommit } from '../gate/read-account'
import type { Status } from './forge'
import { BusyError, persist, RefusedError } from './forge-api'
import { formatReport, formatTitle, isGreen } from './format-report'
import { openGitHub } from './github'
import { openGitLab } from './gitlab'
import type { JobFacts } from './job-facts'
import { digest, digestFailures } from './marker'
import type { Details } from './read-details'
import { type WrittenComment, writeComment } from './write-comment'

/** The parts to write. */
export interface Choice {
  name: string
  always?: boolean
  comment: boolean
  status: boolean
}

export interface Written {
  comment: WrittenComment | null
  status: { kind: 'check' | 'status'; title: string } | null
  /** Each problem says how to fix it. */
  problems: string[]
}

interface Content {
  result: Result
  details: Details
  choice: Choice
  /** Whether the user named the group. It may belong to the build of another job. */
  isNamed: boolean
}

/** The longest time for all writes. */
const PATIENCE_MS = 3 * 60_000

/** Reports a failed write as a problem. If the comment cannot be written, writes the text to the job's summary. */
export async function writeReport(
  job: JobFacts,
  content: Content,
  context: CommandContext,
): Promise<Written> {
  const { result, details, choice } = content
  // Uses the commit that reporters record. For a pull request, GitHub names a merge commit that exists only in the CI.
  const { commit = job.commit } = await readCiFacts(context.env, context.cwd)
  const text = formatReport(result, details, { name: choice.name, commit })
  const misfits = listMisfits(content, job, commit)
  const problems = [
    ...(result.build ? [] : result.unknown.map(({ message }) => message)),
    ...misfits,
    ...(choice.comment && isElsewhere(job)
      ? [`the event ${job.event} has no pull request to comment on`]
      : []),
  ]
  if (misfits.length > 0) return { comment: null, status: null, problems }
  const { token } = job
  if (token === undefined) {
    problems.push(`${NO_TOKEN[job.forge]}${await saveSummary(text, context)}`)
    return { comment: null, status: null, problems }
  }
  const forge = await (job.forge === 'github' ? openGitHub : openGitLab)({ ...job, token }, context)
  const clock = context.clock ?? SYSTEM_CLOCK
  const deadline = { clock, endMs: clock.nowMs() + PATIENCE_MS }
  const attempt = async <Done>(what: 'comment' | 'status', act: () => Promise<Done>) =>
    act().catch(async (error: unknown) => {
      if (!(error instanceof RefusedError || error instanceof BusyError)) throw error
      const problem = explain(error, job.forge, what)
      problems.push(what === 'comment' ? `${problem}${await saveSummary(text, context)}` : problem)
      return null
    })
  try {
    const { build } = job
    const marker = { name: choice.name, source: digest(job.source), build, failing: digestFailures(result) }
    const isSilent = result.build === null || (isGreen(result) && choice.always !== true)
    const report = { marker, text, isSilent }
    const isWanted = choice.comment && job.request !== undefined
    const comment = isWanted ? await attempt('comment', () => writeComment(forge, report, deadline)) : null
    const status = describeStatus(content, job, text)
    const act = () => persist(() => forge.writeStatus(status), deadline)
    const kind = choice.status ? await attempt('status', act) : null
    return { comment, status: kind && { kind, title: status.title }, problems }
  } finally {
    await forge.close()
  }
}

/** Whether the event is, for example, a schedule or `workflow_run`. GitHub then names the head of the default branch. */
function isElsewhere({ request, event }: JobFacts): boolean {
  return request === undefined && event !== '' && event !== 'push'
}

/** Lists the reasons why nothing of the build is written to the commit and the pull request of this job. */
function listMisfits({ result, isNamed }: Content, job: JobFacts, commit: string): string[] {
  const built = result.build?.commit
  if (!built) {
    if (!isNamed) return []
    if (isElsewhere(job))
      return [`the event ${job.event} may not belong to the build, whose commit is not known: ${NOTHING}`]
    return result.passed
      ? [`the build passed, but its commit is not known and may differ from that of this job: ${NOTHING}`]
      : []
  }
  if (isSameCommit(built, commit) || isSameCommit(built, job.commit)) return []
  return [`the build is of commit ${built}, and this job of ${commit}: ${NOTHING}`]
}

const NOTHING = 'nothing is written'

/** GitLab refuses names of more than 255 characters. */
const MAX_NAME = 200

function describeStatus(
  { result, details: { annotations }, choice }: Content,
  { source }: JobFacts,
  text: string,
): Status {
  const name = cutWell(toPlainLine(`Runledger ${choice.name || source}`), MAX_NAME)
  const { passed, build } = result
  return { name, passed, title: formatTitle(result), text, url: build?.url, annotations }
}

const NO_TOKEN: Record<JobFacts['forge'], string> = {
  github: 'GITHUB_TOKEN is not set: write "GITHUB_TOKEN: ${{ github.token }}" in the env of the step',
  gitlab:
    'GITLAB_TOKEN is not set: create a project access token with the scope api, and store it in this CI variable',
}

const OF_FORKS = 'The token of a pull request from a fork can only read'
const OF_GITLAB = 'GITLAB_TOKEN needs the scope api and the role Developer'
const ADVICE: Record<JobFacts['forge'], Record<'comment' | 'status', string>> = {
  github: {
    comment: `The permissions of the job need "pull-requests: write". ${OF_FORKS}`,
    status: `The permissions of the job need "checks: write" or "statuses: write". ${OF_FORKS}`,
  },
  gitlab: { comment: OF_GITLAB, status: OF_GITLAB },
}

const DENIED: Record<JobFacts['forge'], number[]> = { github: [403, 404], gitlab: [401, 403, 404] }

function explain(
  error: RefusedError | BusyError,
  forge: JobFacts['forge'],
  what: 'comment' | 'status',
): string {
  const isDenied = error instanceof RefusedError && DENIED[forge].includes(error.statusCode ?? 0)
  return isDenied ? `${error.message}. ${ADVICE[forge][what]}` : error.message
}

/** GitHub discards a longer summary. */
const MAX_SUMMARY_BYTES = 1024 * 1024

/** Returns a sentence to add to a problem. */
async function saveSummary(text: string, { env }: CommandContext): Promise<string> {
  const file = env['GITHUB_STEP_SUMMARY']
  if (!file) return ''
  try {
    const taken = (await stat(file).catch(() => undefined))?.size ?? 0
    if (taken + Buffer.byteLength(text) + 2 >= MAX_SUMMARY_BYTES) return ''
    await appendFile(file, taken > 0 ? `\n\n${text}` : text)
  } catch {
    return ''
  }
  return '. The summary of the job has the report instead'
}
