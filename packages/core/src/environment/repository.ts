import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { cutWell, MAX_SHORT_LENGTH } from '@runledger/protocol'
import type { Environment } from '../config/options'
import { resolveLinks } from '../util/files'
import { findRepository, openGit, TIMEOUT_MS } from './git'

/** The repository that the project is in, as far as the CI's variables and git tell. */
export interface RepositoryFacts {
  /** `https://github.com/owner/name`, without credentials. */
  address?: string | undefined
  defaultBranch?: string | undefined
  /** The newest commit of the default branch in what is tested; absent when that is itself on the default branch. */
  mergeBase?: string | undefined
  /** The first line of what the tested commit says; the head of a request that GitHub has merged for the test speaks for it. */
  commitSubject?: string | undefined
  /** The name of who wrote that commit; never an e-mail address. */
  commitAuthor?: string | undefined
  /** The project's folder in the repository: empty, or as `packages/cart/`. */
  folder?: string | undefined
  /** Who answers for a file (its path from the repository's root), as CODEOWNERS says. */
  findOwner?: FindOwner | undefined
  /** Which repository is ignored, and why. */
  ignored?: string | undefined
}

type FindOwner = (file: string) => string | undefined

/** Asks no network, and never rejects: what is not known is left out. A given default branch goes before what a CI names. */
export async function readRepository(
  env: Environment,
  projectDir: string,
  defaultBranch?: string,
): Promise<RepositoryFacts> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const repository = findRepository(env, projectDir)
  const askGit = openGit(repository, signal)
  const told = await askCi(env, defaultBranch)
  const [[isShallow, head], [remote = ''], [originHead], [common], merge, commit] = await Promise.all([
    askGit('rev-parse', '--is-shallow-repository', 'HEAD'),
    askGit('remote', 'get-url', 'origin'),
    askGit('symbolic-ref', '--short', 'refs/remotes/origin/HEAD'),
    askGit('merge-base', `refs/remotes/origin/${told.defaultBranch ?? 'HEAD'}`, 'HEAD'),
    told.mergedHead ? askGit('cat-file', 'commit', 'HEAD') : [],
    askGit('log', '-1', '--encoding=UTF-8', '--format=%s%n%an', told.requestHead ?? 'HEAD', '--'),
  ])
  // The commit itself names its parents also in a shallow clone, which may lack what leads to the right common commit.
  const merged = merge[2] === `parent ${told.mergedHead}` ? merge[1]?.slice('parent '.length) : undefined
  const forked = isShallow === 'false' && common !== head ? common : undefined
  const topDir = head === undefined ? undefined : repository.topDir
  return {
    address: toWebAddress(told.address ?? remote),
    defaultBranch: told.defaultBranch ?? originHead?.slice('origin/'.length),
    mergeBase: told.mergeBase ?? merged ?? forked,
    ...describeCommit(commit),
    folder: topDir === undefined ? undefined : findFolder(topDir, projectDir),
    findOwner: topDir === undefined ? undefined : await readOwners(topDir, signal),
    ignored: repository.ignored,
  }
}

/** Some people have an address in the place of their name. */
const ADDRESS_OF_PERSON = /\S@\S/

function describeCommit([subject = '', author = '']: readonly string[]): RepositoryFacts {
  return {
    commitSubject: cutWell(subject, MAX_SHORT_LENGTH) || undefined,
    commitAuthor: ADDRESS_OF_PERSON.test(author) ? undefined : cutWell(author, MAX_SHORT_LENGTH) || undefined,
  }
}

/**
 * The checked-out branch and commit, for where no CI tells them: no branch when the head is detached, neither outside of
 * a repository. Never rejects.
 */
export async function readGitHead(
  env: Environment,
  cwd: string,
): Promise<{ branch?: string | undefined; commit?: string | undefined }> {
  const [commit, branch] = await openGit(findRepository(env, cwd))(
    'rev-parse',
    'HEAD',
    '--abbrev-ref',
    'HEAD',
  )
  return { commit, branch: branch === 'HEAD' ? undefined : branch }
}

/** The project's folder in the repository, as git writes it. */
function findFolder(topDir: string, projectDir: string): string {
  const relative = path.relative(topDir, resolveLinks(projectDir)).replaceAll(path.sep, '/')
  return relative && `${relative}/`
}

/** The path of a file of the project (relative to its root) from the repository's root. */
export function locateInRepository(file: string, { folder }: RepositoryFacts): string | undefined {
  if (folder === undefined || path.isAbsolute(file)) return undefined
  const located = path.posix.join(folder, file)
  return located.startsWith('../') ? undefined : located
}

/** The first of these variables (names with spaces between them) that is set. */
export function findVariable(env: Environment, names = ''): string | undefined {
  const values = names.split(' ').map((name) => env[name])
  return values.find(Boolean)
}

const ADDRESSES =
  'CI_PROJECT_URL BUILDKITE_REPO CIRCLE_REPOSITORY_URL BUILD_REPOSITORY_URI BITBUCKET_GIT_SSH_ORIGIN CI_REPO_URL'
// Azure, Bitbucket, CircleCI, Semaphore and Travis have no such variable.
const DEFAULT_BRANCHES =
  'CI_DEFAULT_BRANCH BUILDKITE_PIPELINE_DEFAULT_BRANCH DRONE_REPO_BRANCH CI_REPO_DEFAULT_BRANCH VELA_REPO_BRANCH CIRRUS_DEFAULT_BRANCH'
// GitLab's; the first is set when it tests the merge with the target branch.
const MERGE_BASES = 'CI_MERGE_REQUEST_TARGET_BRANCH_SHA CI_MERGE_REQUEST_DIFF_BASE_SHA'

interface GitHubEvent {
  repository?: { default_branch?: unknown }
  pull_request?: { base?: { ref?: unknown }; head?: { sha?: unknown } }
}

interface Told extends RepositoryFacts {
  /** The head of the pull request that GitHub has merged into its target, to test the merge. */
  requestHead?: string | undefined
  /** The same where the target is the default branch. */
  mergedHead?: string | undefined
}

async function askCi(env: Environment, branch: string | undefined): Promise<Told> {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_EVENT_PATH: file = '' } = env
  const content = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => undefined)
  const { repository, pull_request: pull } = (content ?? {}) as GitHubEvent
  const address = server && name ? `${server}/${name}` : findVariable(env, ADDRESSES)
  const given =
    branch ?? repository?.default_branch ?? findVariable(env, DEFAULT_BRANCHES) ?? findPrimaryBranch(env)
  const defaultBranch = typeof given === 'string' ? given : undefined
  const target = pull?.base?.ref ?? env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME']
  const head = pull?.head?.sha
  const requestHead = typeof head === 'string' && COMMIT.test(head) ? head : undefined
  if (target !== defaultBranch) return { address, defaultBranch, requestHead }
  const mergeBase = findVariable(env, MERGE_BASES)
  return { address, defaultBranch, requestHead, mergedHead: requestHead, mergeBase }
}

const COMMIT = /^[0-9a-f]{40,64}$/

/** Jenkins names the default branch of a multibranch project only in builds of that branch. */
function findPrimaryBranch({
  BRANCH_IS_PRIMARY: isPrimary,
  BRANCH_NAME: branch,
}: Environment): string | undefined {
  return isPrimary === 'true' ? branch : undefined
}

const ADDRESS =
  /^(https?|ssh|git|git\+ssh):\/\/(?:[^/]*@)?([\w.-]+)(:\d+)?\/+([^\s?#@]+?)(?:\.git)?\/*(?:[?#].*)?$/

/** A remote's address as browsers open it, without credentials; undefined for a folder. */
export function toWebAddress(remote: string): string | undefined {
  const url = remote
    .replace(/^(?:[^/@]*@)?([\w.-]{2,}):(?!:|\/\/)\/*/, 'ssh://$1/')
    .replace(/^ssh:\/\/ssh\.(dev\.azure\.com)\/v3(\/[^/]+\/[^/]+)/, 'https://$1$2/_git')
  const [, scheme = '', host, port = '', name] = ADDRESS.exec(url) ?? []
  if (host === undefined) return undefined
  return scheme.startsWith('http') ? `${scheme}://${host}${port}/${name}` : `https://${host}/${name}`
}

const OWNER_FILES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS']

async function readOwners(rootDir: string, signal: AbortSignal): Promise<FindOwner | undefined> {
  for (const file of OWNER_FILES) {
    const text = await readFile(path.join(rootDir, file), { encoding: 'utf8', signal }).catch(() => undefined)
    if (text !== undefined) return parseOwners(text)
  }
  return undefined
}

/** With more of them, matching a long name may take for ever: such a rule is left out. */
const MAX_STARS = 6

/** The last rule that matches counts. One that names nobody leaves the file to its section's owners (GitLab), or to nobody. */
export function parseOwners(text: string): FindOwner {
  const rules: { pattern: RegExp; owner: string }[] = []
  let sectionOwner = ''
  for (const line of text.split('\n')) {
    const words = line.replace(/(^|\s)#.*/, '').replace(/^\s*\^?\[[^\]]*\](\[\d+\])?/, '[] ')
    const [pattern = '', ...others] = words.trim().split(/(?<!\\)\s+/)
    const owner = others.filter((word) => word.includes('@')).join(' ')
    if (pattern === '[]') sectionOwner = owner
    else if (pattern.split('*').length > MAX_STARS) continue
    else if (pattern.startsWith('!')) rules.push({ pattern: toRegExp(pattern.slice(1)), owner: '' })
    else if (pattern !== '') rules.push({ pattern: toRegExp(pattern), owner: owner || sectionOwner })
  }
  return (file) => rules.findLast(({ pattern }) => pattern.test(file))?.owner || undefined
}

const WILDCARDS: Record<string, string> = { '**/': '(?:.+/)?', '/**': '/.+', '?': '[^/]' }

/** Patterns are those of .gitignore, but `docs/*` leaves out what is in folders below. */
function toRegExp(pattern: string): RegExp {
  const start = /\/./.test(pattern) ? '' : '(?:.+/)?'
  const middle = pattern
    .replace(/^\//, '')
    .replace(/\\\W|(?<![^/])\*\*\/|\/\*\*$|\*+|\?|[^\w/*?]/g, (token) => {
      return WILDCARDS[token] ?? (token.startsWith('*') ? '[^/]*' : `\\${token.at(-1)}`)
    })
  const end = pattern.endsWith('/') ? '.+' : '(?:/.+)?'
  return new RegExp(`^${start}${middle}${pattern.endsWith('/*') ? '' : end}$`)
}
