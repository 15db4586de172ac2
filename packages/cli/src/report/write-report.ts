import { appendFile, stat } from 'node:fs/promises'
import { SYSTEM_CLOCK } from '../clock'
import type { CommandContext } from '../command-context'
import type { Forge } from './forge'
import { BusyError, persist, RefusedError } from './forge-api'
import { formatReport, formatTitle, isGreen, type ReportedBuild } from './format-report'
import { openGitHub } from './github'
import { openGitLab } from './gitlab'
import type { JobFacts } from './job-facts'
import { digestFailures } from './marker'
import type { Details } from './read-details'
import { type WrittenComment, writeComment } from './write-comment'

/** What is to be written. */
export interface Choice {
  name: string
  always?: boolean
  comment: boolean
  status: boolean
}

export interface Written {
  comment: WrittenComment | null
  status: { kind: 'check' | 'status'; title: string } | null
  /** Each with what to do about it. */
  problems: string[]
}

interface Content {
  result: ReportedBuild
  details: Details
  choice: Choice
}

/** The longest time for everything that is written. */
const PATIENCE_MS = 3 * 60_000

/** What cannot be written becomes a problem, and the text then goes to the job's summary. */
export async function writeReport(
  job: JobFacts,
  { result, details, choice }: Content,
  context: CommandContext,
): Promise<Written> {
  const text = formatReport(result, details, choice.name)
  const problems: string[] = []
  const { token } = job
  if (token === undefined) {
    problems.push(`${NO_TOKEN[job.forge]}${await saveSummary(text, context)}`)
    return { comment: null, status: null, problems }
  }
  const forge = await (job.forge === 'github' ? openGitHub : openGitLab)({ ...job, token }, context)
  const clock = context.clock ?? SYSTEM_CLOCK
  const patience = { clock, endMs: clock.nowMs() + PATIENCE_MS }
  const attempt = async <Done>(what: 'comment' | 'status', act: () => Promise<Done>) =>
    act().catch(async (error: unknown) => {
      if (!(error instanceof RefusedError || error instanceof BusyError)) throw error
      const problem = explain(error, job.forge, what)
      problems.push(what === 'comment' ? `${problem}${await saveSummary(text, context)}` : problem)
      return null
    })
  try {
    const marker = { name: choice.name, build: job.build, failing: digestFailures(result) }
    const report = { marker, text, isSilent: isGreen(result) && choice.always !== true }
    const isWanted = choice.comment && job.request !== undefined
    const comment = isWanted ? await attempt('comment', () => writeComment(forge, report, patience)) : null
    const status = describeStatus({ result, details, choice }, text)
    const act = () => persist(() => forge.writeStatus(status), patience)
    const kind = choice.status ? await attempt('status', act) : null
    return { comment, status: kind && { kind, title: status.title }, problems }
  } finally {
    await forge.close()
  }
}

function describeStatus(
  { result, details: { annotations }, choice: { name } }: Content,
  text: string,
): Parameters<Forge['writeStatus']>[0] {
  const { passed, build } = result
  const title = formatTitle(result)
  return {
    name: name === '' ? 'Runledger' : `Runledger ${name}`,
    passed,
    title,
    text,
    url: build.url,
    annotations,
  }
}

const NO_TOKEN: Record<JobFacts['forge'], string> = {
  github: 'GITHUB_TOKEN is not set: write "GITHUB_TOKEN: ${{ github.token }}" in the env of the step',
  gitlab:
    'GITLAB_TOKEN is not set: make an access token of the project with the scope api, and a variable of it',
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

/** GitHub drops a longer summary whole. */
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
