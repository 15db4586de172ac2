import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import envCi from 'env-ci'
import { CI_MARKS, readCiFacts } from './ci'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-ci-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

// What starting any process asks for.
const OF_STARTING_GIT = /^(path|toJSON)$/i

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], { cwd: folder })
    .toString()
    .trim()

function commitOnce(): string {
  git('init', '-q', '-b', 'trunk')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  return git('rev-parse', 'HEAD')
}

describe('readCiFacts', () => {
  it('asks git for branch and commit outside a CI', async () => {
    const commit = commitOnce()
    expect(await readCiFacts({}, folder)).toEqual({ branch: 'trunk', commit })
  })

  it('finds them in a worktree, a folder below, and among packed refs', async () => {
    const commit = commitOnce()
    git('worktree', 'add', '-q', '-b', 'side', 'tree')
    await mkdir(path.join(folder, 'tree/packages/a'), { recursive: true })
    const side = path.join(folder, 'tree/packages/a')
    expect(await readCiFacts({}, side)).toEqual({ branch: 'side', commit })
    git('pack-refs', '--all')
    expect(await readCiFacts({}, side)).toEqual({ branch: 'side', commit })
    expect(await readCiFacts({}, folder)).toEqual({ branch: 'trunk', commit })
  })

  it('asks env-ci wherever that looks for a CI', () => {
    const asked = new Set<string>()
    const env = new Proxy<Record<string, string>>(
      {},
      { get: (_, name) => void (typeof name === 'string' && asked.add(name)) },
    )
    envCi({ env, cwd: folder })
    expect([...asked].filter((name) => !CI_MARKS.includes(name) && !OF_STARTING_GIT.test(name))).toEqual([])
    expect(asked.size).toBeGreaterThan(20)
  })

  it('names no branch when the head is detached', async () => {
    const commit = commitOnce()
    git('checkout', '-q', '--detach')
    expect(await readCiFacts({}, folder)).toEqual({ commit })
  })

  it('knows nothing without a repository, without a commit, without git', async () => {
    expect(await readCiFacts({}, folder)).toEqual({})
    git('init', '-q')
    expect(await readCiFacts({}, folder)).toEqual({})
    expect(await readCiFacts({ PATH: '/nowhere' }, folder)).toEqual({})
  })

  it('names the branch of a pull request on GitHub, not its merge reference', async () => {
    const event = path.join(folder, 'event.json')
    await writeFile(event, JSON.stringify({ pull_request: { number: 7, base: { ref: 'refs/heads/main' } } }))
    const env = {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: event,
      GITHUB_HEAD_REF: 'feature/limits',
      GITHUB_REF: 'refs/pull/7/merge',
      GITHUB_SHA: 'abc123',
      GITHUB_RUN_ID: '99',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/widget',
    }
    expect(await readCiFacts(env, folder)).toEqual({
      ci: 'GitHub Actions',
      buildUrl: 'https://github.com/acme/widget/actions/runs/99',
      buildId: 'GitHub Actions acme/widget 99',
      branch: 'feature/limits',
      commit: 'abc123',
      pullRequest: '7',
    })
  })

  it('makes no address of variables that are missing, and asks git when the CI cannot be understood', async () => {
    const commit = commitOnce()
    const few = await readCiFacts({ GITHUB_ACTIONS: 'true', GITHUB_REF: 'refs/heads/main' }, folder)
    expect(few).toEqual({ ci: 'GitHub Actions', branch: 'main' })
    const broken = {
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'pull_request_target',
      GITHUB_EVENT_PATH: '/no',
    }
    expect(await readCiFacts(broken, folder)).toEqual({ ci: 'unknown', branch: 'trunk', commit })
  })

  it.each<[string, Record<string, string>, object]>([
    [
      'GitHub',
      {
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'acme/widget',
        GITHUB_RUN_ID: '99',
        GITHUB_JOB: 'test',
        GITHUB_ACTOR: 'ada',
        GITHUB_TRIGGERING_ACTOR: 'bob',
      },
      { job: 'test', actor: 'bob', buildId: 'GitHub Actions acme/widget 99' },
    ],
    [
      'GitLab',
      {
        GITLAB_CI: 'true',
        CI_PROJECT_PATH: 'acme/widget',
        CI_PROJECT_URL: 'https://gitlab.com/acme/widget',
        CI_PIPELINE_ID: '5',
        CI_JOB_ID: '77',
        CI_JOB_NAME: 'test 1/3',
        GITLAB_USER_LOGIN: 'ada',
        CI_MERGE_REQUEST_ID: '3',
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'fix',
      },
      {
        job: 'test 1/3',
        actor: 'ada',
        buildId: 'GitLab CI/CD acme/widget 5',
        branch: 'fix',
        pullRequest: '3',
      },
    ],
    [
      'Azure, which has no address of its own',
      {
        BUILD_BUILDURI: 'vstfs:///Build/12',
        BUILD_BUILDNUMBER: '20261121.1',
        BUILD_BUILDID: '12',
        SYSTEM_TEAMFOUNDATIONCOLLECTIONURI: 'https://dev.azure.com/acme/',
        SYSTEM_TEAMPROJECT: 'Big Widget',
        SYSTEM_JOBDISPLAYNAME: 'Test',
        BUILD_REQUESTEDFOR: 'Ada L.',
      },
      {
        job: 'Test',
        actor: 'Ada L.',
        buildUrl: 'https://dev.azure.com/acme/Big%20Widget/_build/results?buildId=12',
        buildId: 'Azure Pipelines https://dev.azure.com/acme/Big%20Widget/_build/results?buildId=12',
      },
    ],
    [
      'CircleCI, whose number is that of a job',
      { CIRCLECI: 'true', CIRCLE_BUILD_NUM: '8', CIRCLE_WORKFLOW_ID: 'w-1', CIRCLE_JOB: 'e2e' },
      { job: 'e2e', buildId: 'CircleCI w-1' },
    ],
    [
      'Jenkins, which counts in each job',
      { JENKINS_URL: 'https://ci/', BUILD_NUMBER: '3', BUILD_URL: 'https://ci/job/a/3/', JOB_NAME: 'a' },
      { job: 'a', buildUrl: 'https://ci/job/a/3/', buildId: 'Jenkins https://ci/job/a/3/' },
    ],
  ])('knows job, actor and build on %s', async (_, env, expected) => {
    expect(await readCiFacts(env, folder)).toMatchObject(expected)
  })

  it.each<[string, Record<string, string>, string | undefined]>([
    ['GitHub, for the first time', { GITHUB_ACTIONS: 'true', GITHUB_RUN_ATTEMPT: '1' }, undefined],
    ['GitHub', { GITHUB_ACTIONS: 'true', GITHUB_RUN_ATTEMPT: '3' }, '2'],
    ['Azure', { BUILD_BUILDURI: 'vstfs:///Build/12', SYSTEM_JOBATTEMPT: '2' }, '1'],
    ['Bitbucket', { BITBUCKET_BUILD_NUMBER: '4', BITBUCKET_STEP_RUN_NUMBER: '2' }, '1'],
    ['Buildkite, for the first time', { BUILDKITE: 'true', BUILDKITE_RETRY_COUNT: '0' }, undefined],
    ['Buildkite', { BUILDKITE: 'true', BUILDKITE_RETRY_COUNT: '1' }, '1'],
    ['GitLab, which tells no number', { GITLAB_CI: 'true' }, undefined],
    ['a value that is not a number', { GITHUB_ACTIONS: 'true', GITHUB_RUN_ATTEMPT: 'x' }, undefined],
  ])('counts reruns from 1: %s', async (_, env, rerun) => {
    expect((await readCiFacts(env, folder)).rerun).toBe(rerun)
  })
})
