import type { RunDetail, TestError } from '@runledger/protocol'

type Location = NonNullable<TestError['location']>

export type SourceLink = (location: Location) => string | undefined

/** Addresses of a file at a commit, and of a line in it. */
const HOSTS = {
  github: { file: 'blob', line: '#L' },
  gitlab: { file: '-/blob', line: '#L' },
}

/** Links to the tested commit on GitHub or GitLab. `file_in_repository` locates the project's root in the repository. */
export function createSourceLink({ metadata }: Pick<RunDetail, 'metadata'>): SourceLink {
  const textOf = (name: string) => (metadata[name] === undefined ? undefined : String(metadata[name]))
  const repository = parseRepository(textOf('repository'))
  const commit = textOf('git_commit')
  const host = repository && findHost(repository.hostname, textOf('ci'))
  if (!host || !commit || !/^[\da-f]{7,64}$/i.test(commit)) return () => undefined
  const locate = createLocator({ metadata })
  return ({ file, line }) => {
    const path = locate(file)?.split('/')
    if (path === undefined) return undefined
    const place = line === undefined ? '' : `${host.line}${line}`
    return `${repository.href}/${host.file}/${commit}/${path.map(encodeURIComponent).join('/')}${place}`
  }
}

/** Finds the path of a project's file from the root of the repository; undefined for a file outside of it. */
export function createLocator({
  metadata,
}: Pick<RunDetail, 'metadata'>): (file: string) => string | undefined {
  const [inRepository, inProject] = ['file_in_repository', 'file'].map((name) => metadata[name])
  const folder = findProjectFolder(
    inRepository === undefined ? undefined : String(inRepository),
    inProject === undefined ? undefined : String(inProject),
  )
  return (file) => joinPath(folder, file)?.join('/')
}

/** Undefined if the host is unknown. */
export function linkCommit({ metadata }: Pick<RunDetail, 'metadata'>): string | undefined {
  const repository = parseRepository(
    metadata['repository'] === undefined ? undefined : String(metadata['repository']),
  )
  const host = repository && findHost(repository.hostname, String(metadata['ci'] ?? ''))
  if (!host || metadata['git_commit'] === undefined) return undefined
  return `${repository.href}/${host === HOSTS.gitlab ? '-/' : ''}commit/${encodeURIComponent(String(metadata['git_commit']))}`
}

/** `src/cart.test.ts:10:5`. */
export function formatLocation({ file, line, column }: Location): string {
  return [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')
}

const MAX_ADDRESS_LENGTH = 1_000

// `https://host/owner/name.git`, `ssh://git@host/owner/name` and `git@host:owner/name.git` are the same repository.
function parseRepository(address: string | undefined): { hostname: string; href: string } | undefined {
  if (address !== undefined && address.length > MAX_ADDRESS_LENGTH) return undefined
  const parts =
    /^(?:https?:\/\/|ssh:\/\/|git:\/\/)?(?:[^@/\s]*@)?([\w.-]+)(:\d+)?[:/]+([^\s?#]+?)(?:\.git)?\/?$/.exec(
      address ?? '',
    )
  if (!parts) return undefined
  const [, hostname = '', port = '', path = ''] = parts
  const isPlain = address?.startsWith('http://')
  const webPort = address?.startsWith('http') ? port : ''
  return { hostname, href: `${isPlain ? 'http' : 'https'}://${hostname}${webPort}/${path}` }
}

// A self-hosted service rarely has the product in its name: then the CI decides.
function findHost(hostname: string, ci: string | undefined): (typeof HOSTS)['github'] | undefined {
  for (const text of [hostname, ci ?? '']) {
    if (/github/i.test(text)) return HOSTS.github
    if (/gitlab/i.test(text)) return HOSTS.gitlab
  }
  return undefined
}

function findProjectFolder(inRepository: string | undefined, inProject: string | undefined): string {
  if (inRepository === undefined || inProject === undefined) return ''
  return inRepository.endsWith(inProject) ? inRepository.slice(0, -inProject.length) : ''
}

function joinPath(folder: string, file: string): string[] | undefined {
  if (/^([/\\]|\w+:)/.test(file)) return undefined
  const path: string[] = []
  for (const part of `${folder}/${file}`.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') path.push(part)
    else if (path.pop() === undefined) return undefined
  }
  return path
}
