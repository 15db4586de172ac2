import { readFileSync } from 'node:fs'
import type { Environment } from '../config/options'

/** A fork's jobs get no secrets, and their machine is discarded. */
export function isForkedPullRequest(env: Environment): boolean {
  const differ = (one: string, other: string): boolean =>
    Boolean(env[one] && env[other]) && env[one] !== env[other]
  return (
    env['SYSTEM_PULLREQUEST_ISFORK']?.toLowerCase() === 'true' ||
    Boolean(env['CIRCLE_PR_REPONAME']) ||
    differ('CI_MERGE_REQUEST_SOURCE_PROJECT_ID', 'CI_MERGE_REQUEST_PROJECT_ID') ||
    differ('TRAVIS_PULL_REQUEST_SLUG', 'TRAVIS_REPO_SLUG') ||
    isForkOnGithub(env)
  )
}

interface PullRequestEvent {
  pull_request?: { head?: { repo?: { full_name?: string } | null }; base?: { repo?: { full_name?: string } } }
}

/** A deleted fork has no repository. */
function isForkOnGithub({ GITHUB_EVENT_PATH: file }: Environment): boolean {
  if (!file) return false
  try {
    const { pull_request: request } = JSON.parse(readFileSync(file, 'utf8')) as PullRequestEvent
    const base = request?.base?.repo?.full_name
    return base !== undefined && request?.head?.repo?.full_name !== base
  } catch {
    return false
  }
}
