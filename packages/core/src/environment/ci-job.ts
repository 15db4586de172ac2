import type { Environment } from '../config/options'

/** What env-ci does not tell of a CI. */
export interface CiJob {
  job?: string | undefined
  /** Who or what began the build. */
  actor?: string | undefined
  buildUrl?: string | undefined
  /** Identifies the build among all builds, where the CI's own number is that of a job, or counts anew in each project. */
  buildId?: string | undefined
}

/** The variables, by env-ci's name of the service; of several the first that is set. */
const VARIABLES: Record<string, { job?: string[]; actor?: string[]; buildId?: string[] }> = {
  appveyor: { job: ['APPVEYOR_JOB_NAME'], actor: ['APPVEYOR_REPO_COMMIT_AUTHOR'] },
  azurePipelines: { job: ['SYSTEM_JOBDISPLAYNAME', 'AGENT_JOBNAME'], actor: ['BUILD_REQUESTEDFOR'] },
  bamboo: { job: ['bamboo_shortJobName'], actor: ['bamboo_ManualBuildTriggerReason_userName'] },
  buildkite: {
    job: ['BUILDKITE_LABEL'],
    actor: ['BUILDKITE_BUILD_CREATOR'],
    buildId: ['BUILDKITE_BUILD_ID'],
  },
  circleci: { job: ['CIRCLE_JOB'], actor: ['CIRCLE_USERNAME'], buildId: ['CIRCLE_WORKFLOW_ID'] },
  drone: { job: ['DRONE_STAGE_NAME'], actor: ['DRONE_BUILD_TRIGGER'] },
  github: { job: ['GITHUB_JOB'], actor: ['GITHUB_TRIGGERING_ACTOR', 'GITHUB_ACTOR'] },
  gitlab: { job: ['CI_JOB_NAME'], actor: ['GITLAB_USER_LOGIN'] },
  jenkins: {
    job: ['JOB_NAME'],
    actor: ['BUILD_USER_ID', 'CHANGE_AUTHOR'],
    buildId: ['BUILD_URL', 'BUILD_TAG'],
  },
  semaphore: {
    job: ['SEMAPHORE_JOB_NAME'],
    actor: ['SEMAPHORE_WORKFLOW_TRIGGERED_BY'],
    buildId: ['SEMAPHORE_WORKFLOW_ID'],
  },
  teamcity: { job: ['TEAMCITY_BUILDCONF_NAME'] },
  travis: { job: ['TRAVIS_JOB_NAME'] },
}

/** Reads what a known service says of the job; empty for others. */
export function readCiJob(service: string | undefined, env: Environment): CiJob {
  const first = (names: string[] = []): string | undefined =>
    names.map((name) => env[name]).find((value) => value !== undefined && value !== '')
  const { job, actor, buildId } = VARIABLES[service ?? ''] ?? {}
  const azure = service === 'azurePipelines' ? readAzureBuild(env) : undefined
  return {
    job: first(job),
    actor: first(actor),
    buildUrl: azure,
    buildId: first(buildId) ?? azure,
  }
}

function readAzureBuild(env: Environment): string | undefined {
  const {
    SYSTEM_TEAMFOUNDATIONCOLLECTIONURI: collection,
    SYSTEM_TEAMPROJECT: project,
    BUILD_BUILDID: id,
  } = env
  if (!collection || !project || !id) return undefined
  return `${collection.replace(/\/*$/, '/')}${encodeURIComponent(project)}/_build/results?buildId=${id}`
}
