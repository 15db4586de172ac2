import type { default as envCi, EnvCiResult } from 'env-ci'
import type { Environment } from '../config/options'
import { findRepository } from './git'
import { findVariable, readGitHead } from './repository'

export interface CiFacts {
  ci?: string | undefined
  buildUrl?: string | undefined
  job?: string | undefined
  actor?: string | undefined
  buildId?: string | undefined
  branch?: string | undefined
  commit?: string | undefined
  pullRequest?: string | undefined
  /** `1` for the first rerun of the job or build; absent for its first attempt. */
  rerun?: string | undefined
  /** Higher for a later attempt at the job. */
  attempt?: number | undefined
}

/** Reads the CI's variables, and git outside of a CI. Never rejects. */
export async function readCiFacts(env: Environment, rootDir: string): Promise<CiFacts> {
  try {
    if (!CI_MARKS.some((name) => env[name])) return await readGitHead(env, rootDir)
    // Loading takes 100 ms, so only if it is needed.
    const { default: readEnvCi } = await import('env-ci')
    return mapCiFacts(askEnvCi(readEnvCi, env, rootDir), env)
  } catch {
    return {}
  }
}

export const CI_MARKS = (
  'CI CI_NAME APPVEYOR BITBUCKET_BUILD_NUMBER BITRISE_IO BUDDY_WORKSPACE_ID BUILDKITE ' +
  'BUILD_BUILDURI CF_BUILD_ID CF_PAGES CIRCLECI CIRRUS_CI CODEBUILD_BUILD_ID DISTELLI_APPNAME ' +
  'DRONE GITHUB_ACTIONS GITLAB_CI JB_SPACE_EXECUTION_NUMBER JENKINS_URL NETLIFY ' +
  'NOW_GITHUB_DEPLOYMENT SAILCI SCREWDRIVER SCRUTINIZER SEMAPHORE SHIPPABLE TEAMCITY_VERSION ' +
  'TRAVIS VELA VERCEL WERCKER_MAIN_PIPELINE_STARTED bamboo_agentId'
).split(' ')

// env-ci throws if a CI's variables are incomplete; then only git is asked.
function askEnvCi(readEnvCi: typeof envCi, given: Environment, cwd: string): EnvCiResult {
  const { env } = findRepository(given, cwd)
  try {
    return readEnvCi({ env, cwd })
  } catch {
    const ofGit = Object.entries(env).filter(([name]) => name.startsWith('GIT_'))
    return readEnvCi({ env: { CI: 'true', ...Object.fromEntries(ofGit) }, cwd })
  }
}

function mapCiFacts(result: EnvCiResult, env: Environment): CiFacts {
  const head = result.branch === 'HEAD' ? undefined : result.branch
  // For a pull request on GitHub, env-ci names the merge reference, which is not a branch.
  const ofRequest = result.service === 'github' ? env['GITHUB_HEAD_REF'] || undefined : result.prBranch
  const { job, actor, buildId } = JOB_VARIABLES[result.service ?? ''] ?? {}
  const azureBuild = result.service === 'azurePipelines' ? readAzureBuild(env) : undefined
  const buildUrl = azureBuild ?? result.buildUrl
  // Build numbers start anew in each project.
  const number = result.slug ? `${result.slug} ${result.build}` : (result.buildUrl ?? result.build)
  const rerun = readRerun(env)
  const id = findVariable(env, buildId) ?? azureBuild ?? (result.build ? number : undefined)
  return {
    ci: result.isCi ? (result.name ?? 'unknown') : undefined,
    buildUrl: buildUrl && URL.canParse(buildUrl) ? buildUrl : undefined,
    buildId: id ? [result.name, id].filter(Boolean).join(' ') : undefined,
    job: findVariable(env, job),
    actor: findVariable(env, actor),
    branch: ofRequest || (result.pr ? undefined : head) || undefined,
    commit: result.commit || undefined,
    pullRequest: result.pr ? String(result.pr) : undefined,
    rerun,
    // GitLab counts no attempts, but a retried job has a higher id.
    attempt: Number(rerun ?? env['CI_JOB_ID']) || undefined,
  }
}

/** Variables that env-ci does not read, by its name of the service; the first that is set counts. */
const JOB_VARIABLES: Record<string, { job?: string; actor?: string; buildId?: string }> = {
  appveyor: { job: 'APPVEYOR_JOB_NAME', actor: 'APPVEYOR_REPO_COMMIT_AUTHOR' },
  azurePipelines: { job: 'SYSTEM_JOBDISPLAYNAME AGENT_JOBNAME', actor: 'BUILD_REQUESTEDFOR' },
  bamboo: { job: 'bamboo_shortJobName', actor: 'bamboo_ManualBuildTriggerReason_userName' },
  buildkite: { job: 'BUILDKITE_LABEL', actor: 'BUILDKITE_BUILD_CREATOR', buildId: 'BUILDKITE_BUILD_ID' },
  circleci: { job: 'CIRCLE_JOB', actor: 'CIRCLE_USERNAME', buildId: 'CIRCLE_WORKFLOW_ID' },
  drone: { job: 'DRONE_STAGE_NAME', actor: 'DRONE_BUILD_TRIGGER' },
  github: { job: 'GITHUB_JOB', actor: 'GITHUB_TRIGGERING_ACTOR GITHUB_ACTOR' },
  gitlab: { job: 'CI_JOB_NAME', actor: 'GITLAB_USER_LOGIN' },
  jenkins: { job: 'JOB_NAME', actor: 'BUILD_USER_ID CHANGE_AUTHOR', buildId: 'BUILD_URL BUILD_TAG' },
  semaphore: {
    job: 'SEMAPHORE_JOB_NAME',
    actor: 'SEMAPHORE_WORKFLOW_TRIGGERED_BY',
    buildId: 'SEMAPHORE_WORKFLOW_ID',
  },
  teamcity: { job: 'TEAMCITY_BUILDCONF_NAME' },
  travis: { job: 'TRAVIS_JOB_NAME' },
}

/** GitHub, Azure and Bitbucket count attempts from 1, Buildkite retries from 0. */
function readRerun(env: Environment): string | undefined {
  const attempt = findVariable(env, 'GITHUB_RUN_ATTEMPT SYSTEM_JOBATTEMPT BITBUCKET_STEP_RUN_NUMBER') ?? 1
  const rerun = Number(attempt) - 1 || Number(env['BUILDKITE_RETRY_COUNT'])
  return rerun > 0 ? String(rerun) : undefined
}

function readAzureBuild(env: Environment): string | undefined {
  const { SYSTEM_TEAMPROJECT: project, BUILD_BUILDID: id } = env
  const collection = env['SYSTEM_TEAMFOUNDATIONCOLLECTIONURI']
  if (!collection || !project || !id) return undefined
  return `${collection.replace(/\/*$/, '/')}${encodeURIComponent(project)}/_build/results?buildId=${id}`
}
