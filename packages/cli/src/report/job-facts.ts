import { parseJson } from '@runledger/core/tools'
import { readFile } from 'node:fs/promises'
import type { CommandContext } from '../command-context'

/** What a CI tells its job of the service that it belongs to. */
export interface JobFacts {
  forge: 'github' | 'gitlab'
  /** Address of the API. */
  api: string
  token: string | undefined
  /** `owner/name` on GitHub, a number on GitLab. */
  project: string
  /** Gets the status: of a pull request, its head. */
  commit: string
  /** Undefined where the event belongs to no pull request. */
  request: Request | undefined
  /** What began the job; empty where it is not known. */
  event: string
  /** The workflow and the job; jobs of the same source replace each other's reports. */
  source: string
  /** A later build has a higher one. */
  build: number
}

interface Request {
  /** May differ from the job's own, for a fork on GitLab. */
  project: string
  number: number
  url: string
}

type Environment = CommandContext['env']

/** Undefined outside of GitHub Actions and GitLab CI. */
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
  // GITHUB_SHA of a pull request is a merge that only the CI knows.
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

/** Pipelines of branches know the merge requests of their branch. */
function findMergeRequest(env: Environment, own: string): Request | undefined {
  const { CI_OPEN_MERGE_REQUESTS: open = '', CI_PROJECT_PATH: path = '', CI_PROJECT_URL: page = '' } = env
  const ofBranch = open.split(',').find((each) => each.startsWith(`${path}!`))
  const number = Number(env['CI_MERGE_REQUEST_IID'] ?? ofBranch?.slice(path.length + 1))
  if (!Number.isSafeInteger(number) || number <= 0) return undefined
  const project = env['CI_MERGE_REQUEST_PROJECT_ID'] ?? own
  const url = `${env['CI_MERGE_REQUEST_PROJECT_URL'] ?? page}/-/merge_requests/${number}`
  return { project, number, url }
}
