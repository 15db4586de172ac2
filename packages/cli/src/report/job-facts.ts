import { parseJson } from '@runledger/core/tools'
import { readFile } from 'node:fs/promises'
import type { CommandContext } from '../command-context'

/** Facts about the forge that a CI gives to its job. */
export interface JobFacts {
  forge: 'github' | 'gitlab'
  /** The address of the API. */
  api: string
  token: string | undefined
  /** `owner/name` on GitHub, a number on GitLab. */
  project: string
  /** The commit that gets the status. For a pull request, its head. */
  commit: string
  /** Undefined if the event belongs to no pull request. */
  request: Request | undefined
  /** The event that started the job; empty if it is not known. */
  event: string
  /** The workflow and the job. A report replaces earlier reports of the same source. */
  source: string
  /** A number that is higher for later builds. */
  build: number
}

interface Request {
  /** For a fork on GitLab, it may differ from the project of the job. */
  project: string
  number: number
  url: string
}

type Environment = CommandContext['env']

/** Returns undefined outside of GitHub Actions and GitLab CI. */
export async function readJobFacts(env: Environment): Promise<JobFacts | undefined> {
  const facts = env['GITHUB_ACTIONS'] ? await readGitHub(env) : env['GITLAB_CI'] ? readGitLab(env) : undefined
  return facts && isWebAddress(facts.api) && facts.project !== '' && facts.commit !== '' ? facts : undefined
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

interface GitHubEvent {
  pull_request?: { number?: unknown; head?: { sha?: unknown } }
}

async function readGitHub(env: Environment): Promise<JobFacts> {
  const { GITHUB_REPOSITORY: project = '', GITHUB_SERVER_URL: server = '', GITHUB_SHA: sha = '' } = env
  const { pull_request: pull } = await readEvent(env['GITHUB_EVENT_PATH'])
  const number = Number(pull?.number)
  // For a pull request, GITHUB_SHA is a merge commit that exists only in the CI.
  const head = pull?.head?.sha
  return {
    forge: 'github',
    api: env['GITHUB_API_URL'] ?? '',
    token: env['GITHUB_TOKEN']?.trim() || undefined,
    project,
    commit: typeof head === 'string' ? head : sha,
    request:
      Number.isSafeInteger(number) && number > 0
        ? { project, number, url: `${server}/${project}/pull/${number}` }
        : undefined,
    event: env['GITHUB_EVENT_NAME'] ?? '',
    source: [env['GITHUB_WORKFLOW'], env['GITHUB_JOB']].filter(Boolean).join(' / '),
    build: Number(env['GITHUB_RUN_ID']) || 0,
  }
}

async function readEvent(file = ''): Promise<GitHubEvent> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return (parseJson(text) ?? {}) as GitHubEvent
}

function readGitLab(env: Environment): JobFacts {
  const { CI_PROJECT_ID: project = '' } = env
  return {
    forge: 'gitlab',
    api: env['CI_API_V4_URL'] ?? '',
    token: env['GITLAB_TOKEN']?.trim() || undefined,
    project,
    commit: env['CI_COMMIT_SHA'] ?? '',
    request: findMergeRequest(env, project),
    event: env['CI_PIPELINE_SOURCE'] ?? '',
    source: env['CI_JOB_NAME'] ?? '',
    build: Number(env['CI_PIPELINE_ID']) || 0,
  }
}

/** A branch pipeline has the merge requests of its branch in a variable. */
function findMergeRequest(env: Environment, own: string): Request | undefined {
  const { CI_OPEN_MERGE_REQUESTS: open = '', CI_PROJECT_PATH: path = '', CI_PROJECT_URL: page = '' } = env
  const ofBranch = open.split(',').find((each) => each.startsWith(`${path}!`))
  const number = Number(env['CI_MERGE_REQUEST_IID'] ?? ofBranch?.slice(path.length + 1))
  if (!Number.isSafeInteger(number) || number <= 0) return undefined
  const project = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? own
  const url = `${env['CI_MERGE_REQUEST_PROJECT_URL'] ?? page}/-/merge_requests/${number}`
  return { project, number, url }
}
