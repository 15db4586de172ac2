import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { cutWell, MAX_SHORT_LENGTH } from '@runledger/protocol'
import type { Environment } from '../config/options'
import { resolveLinks } from '../util/files'
import { findRepository, openGit, TIMEOUT_MS } from './git'

export interface RepositoryFacts {
  /** `https://github.com/owner/name`, without credentials. */
  address?: string | undefined
  defaultBranch?: string | undefined
  /** The newest commit of the default branch in the tested code; absent on the default branch itself. */
  mergeBase?: string | undefined
  /** The tested commit's first line; for a merge made by GitHub, that of the request's head. */
  commitSubject?: string | undefined
  /** The commit's author; never an e-mail address. */
  commitAuthor?: string | undefined
  /** The project's folder in the repository: empty, or as `packages/cart/`. */
  folder?: string | undefined
  /** Finds a file's owner in CODEOWNERS. */
  findOwner?: FindOwner | undefined
  ignored?: string | undefined
}

type FindOwner = (file: string) => string | undefined

/** Uses no network and never rejects. A given default branch overrides the CI's. */
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
  // Even in a shallow clone, the commit itself names its parents.
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

/** Some people use an address as their name. */
const ADDRESS_OF_PERSON = /\S@\S/

function describeCommit([subject = '', author = '']: readonly string[]): RepositoryFacts {
  return {
    commitSubject: cutWell(subject, MAX_SHORT_LENGTH) || undefined,
    commitAuthor: ADDRESS_OF_PERSON.test(author) ? undefined : cutWell(author, MAX_SHORT_LENGTH) || undefined,
  }
}

/** The checked-out branch and commit, without a CI. No branch for a detached head. Never rejects. */
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

function findFolder(topDir: string, projectDir: string): string {
  const relative = path.relative(topDir, resolveLinks(projectDir)).replaceAll(path.sep, '/')
  return relative && `${relative}/`
}

/** The path of a project file from the repository's root. */
export function locateInRepository(file: string, { folder }: RepositoryFacts): string | undefined {
  if (folder === undefined || path.isAbsolute(file)) return undefined
  const located = path.posix.join(folder, file)
  return located.startsWith('../') ? undefined : located
}

export function findVariable(env: Environment, names = ''): string | undefined {
  const values = names.split(' ').map((name) => env[name])
  return values.find(Boolean)
}

const ADDRESSES =
  'CI_PROJECT_URL BUILDKITE_REPO CIRCLE_REPOSITORY_URL BUILD_REPOSITORY_URI BITBUCKET_GIT_SSH_ORIGIN CI_REPO_URL'
// Azure, Bitbucket, CircleCI, Semaphore and Travis have no such variable.
const DEFAULT_BRANCHES =
  'CI_DEFAULT_BRANCH BUILDKITE_PIPELINE_DEFAULT_BRANCH DRONE_REPO_BRANCH CI_REPO_DEFAULT_BRANCH VELA_REPO_BRANCH CIRRUS_DEFAULT_BRANCH'
// GitLab's; the first is set if it tests the merge with the target branch.
const MERGE_BASES = 'CI_MERGE_REQUEST_TARGET_BRANCH_SHA CI_MERGE_REQUEST_DIFF_BASE_SHA'

interface GitHubEvent {
  repository?: { default_branch?: unknown }
  pull_request?: { base?: { ref?: unknown }; head?: { sha?: unknown } }
}

interface Told extends RepositoryFacts {
  /** The head of the pull request that GitHub merged for the test. */
  requestHead?: string | undefined
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

/** Jenkins names a multibranch project's default branch only in builds of that branch. */
function findPrimaryBranch({
  BRANCH_IS_PRIMARY: isPrimary,
  BRANCH_NAME: branch,
}: Environment): string | undefined {
  return isPrimary === 'true' ? branch : undefined
}

const ADDRESS =
  /^(https?|ssh|git|git\+ssh):\/\/(?:[^/]*@)?([\w.-]+)(:\d+)?\/+([^\s?#@]+?)(?:\.git)?\/*(?:[?#].*)?$/

/** The address for browsers, without credentials; undefined for a folder. */
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

/** More stars could make matching very slow, so such a rule is ignored. */
const MAX_STARS = 6

/** The last matching rule counts. Without owners, the section's apply (GitLab), or none. */
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

/** Patterns of .gitignore, except that `docs/*` excludes deeper files. */
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
