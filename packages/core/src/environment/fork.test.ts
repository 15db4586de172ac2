import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { isForkedPullRequest } from './fork'

const repo = (name: string) => ({ repo: { full_name: name } })

it.each([
  ['a fork', { pull_request: { head: repo('me/lamp'), base: repo('acme/lamp') } }, true],
  ['a fork that was deleted', { pull_request: { head: { repo: null }, base: repo('acme/lamp') } }, true],
  ['a branch', { pull_request: { head: repo('acme/lamp'), base: repo('acme/lamp') } }, false],
  ['a push', { ref: 'refs/heads/main' }, false],
])('knows %s on GitHub', async (_, event, expected) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'runledger-fork-'))
  const file = path.join(folder, 'event.json')
  await writeFile(file, JSON.stringify(event))
  expect(isForkedPullRequest({ GITHUB_EVENT_PATH: file })).toBe(expected)
  await rm(folder, { recursive: true })
})

it.each([
  [{ SYSTEM_PULLREQUEST_ISFORK: 'True' }, true],
  [{ SYSTEM_PULLREQUEST_ISFORK: 'False' }, false],
  [{ CIRCLE_PR_REPONAME: 'lamp' }, true],
  [{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '7', CI_MERGE_REQUEST_PROJECT_ID: '8' }, true],
  [{ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '8', CI_MERGE_REQUEST_PROJECT_ID: '8' }, false],
  [{ TRAVIS_PULL_REQUEST_SLUG: 'me/lamp', TRAVIS_REPO_SLUG: 'acme/lamp' }, true],
  [{ TRAVIS_PULL_REQUEST_SLUG: '', TRAVIS_REPO_SLUG: 'acme/lamp' }, false],
  [{ CI: 'true', GITHUB_EVENT_PATH: '/nowhere' }, false],
])('reads %j', (env, expected) => {
  expect(isForkedPullRequest(env)).toBe(expected)
})
