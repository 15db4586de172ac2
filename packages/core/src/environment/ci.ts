import type { Environment } from '../config/options'
import { readCiJob } from './ci-job'
import { readGitHead } from './git'

/** Where an execution took place, as far as the CI's variables and git tell. */
export interface Surroundings {
  /** Name of the CI service; absent on a developer's machine. */
  ci?: string | undefined
  buildUrl?: string | undefined
  /** Name of the job in the build. */
  job?: string | undefined
  /** Who or what began the build. */
  actor?: string | undefined
  /** Identifies the CI build among all builds of its service. */
  buildId?: string | undefined
  branch?: string | undefined
  commit?: string | undefined
  pullRequest?: string | undefined
}

/** Asks the CI's variables, and git where there is one; never throws: what is not known is left out. */
export async function readSurroundings(env: Environment, rootDir: string): Promise<Surroundings> {
  try {
    const head = needsAsking(env) ? undefined : await readGitHead(rootDir)
    if (head !== undefined) return head
    const { default: readCi } = await import('env-ci')
    return mapSurroundings(readFacts(readCi, env, rootDir), env)
  } catch {
    return {}
  }
}

/** Variables by which env-ci knows a CI, and those that lead git elsewhere. Without any, a repository's files tell as much. */
export const CI_MARKS = (
  'CI CI_NAME APPVEYOR BITBUCKET_BUILD_NUMBER BITRISE_IO BUDDY_WORKSPACE_ID BUILDKITE ' +
  'BUILD_BUILDURI CF_BUILD_ID CF_PAGES CIRCLECI CIRRUS_CI CODEBUILD_BUILD_ID DISTELLI_APPNAME ' +
  'DRONE GITHUB_ACTIONS GITLAB_CI JB_SPACE_EXECUTION_NUMBER JENKINS_URL NETLIFY ' +
  'NOW_GITHUB_DEPLOYMENT SAILCI SCREWDRIVER SCRUTINIZER SEMAPHORE SHIPPABLE TEAMCITY_VERSION ' +
  'TRAVIS VELA VERCEL WERCKER_MAIN_PIPELINE_STARTED bamboo_agentId GIT_DIR GIT_WORK_TREE'
).split(' ')

function needsAsking(env: Environment): boolean {
  return CI_MARKS.some((name) => Boolean(env[name]))
}

type ReadCi = (options: { env: Environment; cwd: string }) => CiFacts

// A CI whose variables are not all there makes env-ci throw: then git alone is asked.
function readFacts(readCi: ReadCi, env: Environment, cwd: string): CiFacts {
  try {
    return readCi({ env, cwd })
  } catch {
    return readCi({ env: { CI: 'true' }, cwd })
  }
}

interface CiFacts {
  isCi: boolean
  name?: string
  service?: string
  slug?: string
  build?: string | number
  buildUrl?: string
  branch?: string
  commit?: string
  pr?: string | number
  prBranch?: string
}

function mapSurroundings(facts: CiFacts, env: Environment): Surroundings {
  const head = facts.branch === 'HEAD' ? undefined : facts.branch
  // For a pull request on GitHub env-ci names the merge reference (`refs/pull/7/merge`), which is no branch.
  const ofRequest = facts.service === 'github' ? env['GITHUB_HEAD_REF'] || undefined : facts.prBranch
  const { job, actor, buildUrl = facts.buildUrl, buildId } = readCiJob(facts.service, env)
  // Numbers of builds begin anew in each project.
  const number = facts.slug ? `${facts.slug} ${facts.build}` : (facts.buildUrl ?? facts.build)
  const id = buildId ?? (facts.build ? number : undefined)
  return {
    ci: facts.isCi ? (facts.name ?? 'unknown') : undefined,
    buildUrl: buildUrl && URL.canParse(buildUrl) ? buildUrl : undefined,
    buildId: id ? [facts.name, id].filter(Boolean).join(' ') : undefined,
    job,
    actor,
    branch: ofRequest || (facts.pr ? undefined : head) || undefined,
    commit: facts.commit || undefined,
    pullRequest: facts.pr ? String(facts.pr) : undefined,
  }
}
