import { setTimeout as sleep } from 'node:timers/promises'
import { answerJson, type ReceivedRequest, startScriptedServer } from './scripted-server'

/** Replaces GitHub or GitLab in tests. Accepts only requests that the real service accepts. */
export interface ForgeStandIn {
  url: string
  token: string
  requests: ReceivedRequest[]
  comments: StoredComment[]
  /** Commit statuses, as sent. */
  statuses: Record<string, unknown>[]
  checks: Record<string, unknown>[]
  /** The rights of the token. */
  allowed: Set<Right>
  /** Overrides the answer to a request. `lose` carries out the request, then closes the connection without an answer. */
  trouble: ((request: ReceivedRequest) => Answer | 'lose' | undefined) | undefined
  /** The delay before a request, and again before its answer. */
  delayMs: () => number
  /** Lists the variables that the CI sets for a job of a pull request's build. */
  listVariables(build: number, request?: number): Record<string, string>
  stop(): Promise<void>
}

export type Right = 'comments' | 'checks' | 'statuses'

export interface StoredComment {
  id: number
  request: number
  author: number
  body: string
}

export interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** The id of the token's user. */
export const OWN_USER = 41_898_282
export const COMMIT = 'a94a8fe5ccb19ba61c4c0873d391e987982fbbd3'
const MAX_PAGE = 100

interface Received {
  body: Record<string, unknown>
  query: URLSearchParams
  /** The numbers that the pattern finds in the path. */
  numbers: number[]
}

type Routes = [method: string, path: RegExp, right: Right | undefined, act: (received: Received) => Answer][]

interface Forge {
  token: string
  isOwn: (headers: ReceivedRequest['headers']) => boolean
  maxBody: number
  present: (comment: StoredComment) => object
  /** Maps a path to GitHub's public API or to GitLab's API. Returns an empty text if the path does not exist there. */
  toPublicPath?: (path: string) => string
  routes: (standIn: Omit<ForgeStandIn, 'url' | 'requests' | 'stop'>, comments: Comments) => Routes
  listVariables: (url: string, build: number, request?: number) => Record<string, string>
}

type Comments = Record<'list' | 'read' | 'create' | 'edit' | 'remove', (received: Received) => Answer>

async function startForge({
  token,
  isOwn,
  toPublicPath = (path) => path,
  routes,
  listVariables,
  ...forge
}: Forge): Promise<ForgeStandIn> {
  const standIn = {
    token,
    comments: [] as StoredComment[],
    statuses: [],
    checks: [],
    allowed: new Set<Right>(['comments', 'checks', 'statuses']),
    trouble: undefined as ForgeStandIn['trouble'],
    delayMs: () => 0,
    listVariables: (build: number, request?: number) => listVariables(server.url, build, request),
  }
  const table = routes(standIn, storeComments(standIn, forge))
  const answer = (request: ReceivedRequest): Answer => {
    const { pathname: given, searchParams: query } = new URL(request.path, 'http://forge')
    const pathname = toPublicPath(given)
    const [, , right, act] =
      table.find(([method, path]) => method === request.method && path.test(pathname)) ?? []
    if (!isOwn(request.headers))
      return { status: 401, body: { message: `Bad credentials ${request.headers.authorization}` } }
    if (!act) return { status: 404, body: { message: 'Not Found' } }
    if (right && !standIn.allowed.has(right))
      return { status: 403, body: { message: 'Resource not accessible by integration' } }
    const path = table.find(([method, each]) => method === request.method && each.test(pathname))?.[1]
    const numbers = (path?.exec(pathname) ?? []).slice(1).map(Number)
    const text = request.body.toString()
    return act({ query, numbers, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) })
  }
  const server = await startScriptedServer((request, response) => {
    void (async () => {
      await sleep(standIn.delayMs())
      const trouble = standIn.trouble?.(request)
      const {
        status,
        body,
        headers = {},
      } = trouble === undefined || trouble === 'lose' ? answer(request) : trouble
      await sleep(standIn.delayMs())
      if (trouble === 'lose') return response.destroy()
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      if (status === 204) response.writeHead(204).end()
      else answerJson(response, status, body)
    })()
  })
  return Object.assign(standIn, { url: server.url, requests: server.requests, stop: () => server.stop() })
}

function storeComments(
  standIn: Pick<ForgeStandIn, 'comments'>,
  { maxBody, present }: Pick<Forge, 'maxBody' | 'present'>,
): Comments {
  let lastId = 2_400_000_000
  const check = ({ body: { body } }: Received): Answer | undefined =>
    typeof body === 'string' && body !== '' && body.length <= maxBody
      ? undefined
      : { status: 422, body: { message: `body is too long (maximum is ${maxBody} characters)` } }
  const findIn = ({ numbers }: Received) => standIn.comments.find(({ id }) => id === numbers.at(-1))
  const missing = { status: 404, body: { message: 'Not Found' } }
  return {
    list: ({ numbers: [request], query }) => {
      const page = Number(query.get('page') ?? 1)
      const size = Math.min(Number(query.get('per_page') ?? 20), MAX_PAGE)
      const all = standIn.comments.filter((comment) => comment.request === request)
      const found = all.slice((page - 1) * size, page * size).map(present)
      const link = page * size < all.length ? '<http://elsewhere.example/>; rel="next"' : '<x>; rel="last"'
      return { status: 200, body: found, headers: { link } }
    },
    read: (received) => {
      const comment = findIn(received)
      return comment ? { status: 200, body: present(comment) } : missing
    },
    create: (received) => {
      const { numbers, body } = received
      const comment = {
        id: (lastId += 1),
        request: numbers[0] ?? 0,
        author: OWN_USER,
        body: String(body['body']),
      }
      return check(received) ?? (standIn.comments.push(comment), { status: 201, body: present(comment) })
    },
    edit: (received) => {
      const comment = findIn(received)
      if (!comment) return missing
      const problem = check(received)
      if (!problem) comment.body = String(received.body['body'])
      return problem ?? { status: 200, body: present(comment) }
    },
    remove: (received) => {
      const comment = findIn(received)
      if (!comment) return missing
      standIn.comments.splice(standIn.comments.indexOf(comment), 1)
      return { status: 204 }
    },
  }
}

/** GitHub's API: docs.github.com/rest. A server of GitHub Enterprise has other paths. */
export async function startGitHub({ isEnterprise = false } = {}): Promise<ForgeStandIn> {
  const token = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz'
  return startForge({
    token,
    isOwn: ({ authorization }) => authorization === `Bearer ${token}`,
    maxBody: 65_536,
    present: ({ id, author, body, request }) => ({
      id,
      body,
      user: { id: author },
      html_url: `https://github.com/acme/shop/pull/${request}#issuecomment-${id}`,
    }),
    ...(isEnterprise && { toPublicPath: toPathOfEnterprise }),
    routes: ({ statuses, checks }, { list, read, create, edit, remove }) => [
      [
        'POST',
        /^\/graphql$/,
        undefined,
        () => ({ status: 200, body: { data: { viewer: { databaseId: OWN_USER } } } }),
      ],
      ['GET', /^\/repos\/acme\/shop\/issues\/(\d+)\/comments$/, undefined, list],
      ['POST', /^\/repos\/acme\/shop\/issues\/(\d+)\/comments$/, 'comments', create],
      ['GET', /^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/, undefined, read],
      ['PATCH', /^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/, 'comments', edit],
      ['DELETE', /^\/repos\/acme\/shop\/issues\/comments\/(\d+)$/, 'comments', remove],
      ['POST', /^\/repos\/acme\/shop\/check-runs$/, 'checks', ({ body }) => keep(checks, body, isCheck)],
      [
        'POST',
        /^\/repos\/acme\/shop\/statuses\/[0-9a-f]{40}$/,
        'statuses',
        ({ body }) => keep(statuses, body, isStatus),
      ],
    ],
    listVariables: (url, build) => ({
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: isEnterprise ? `${url}/api/v3` : url,
      GITHUB_GRAPHQL_URL: isEnterprise ? `${url}/api/graphql` : `${url}/graphql`,
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_SHA: COMMIT,
      GITHUB_WORKFLOW: 'CI',
      GITHUB_JOB: 'report',
      GITHUB_RUN_ID: String(build),
      GITHUB_TOKEN: token,
    }),
  })
}

function toPathOfEnterprise(path: string): string {
  return path === '/api/graphql' ? '/graphql' : (/^\/api\/v3(\/repos\/.*)/.exec(path)?.[1] ?? '')
}

/** GitLab's API: docs.gitlab.com/api. */
export async function startGitLab(): Promise<ForgeStandIn> {
  const token = 'glpat-0123456789abcdefghij'
  return startForge({
    token,
    isOwn: ({ 'private-token': given }) => given === token,
    maxBody: 1_000_000,
    present: ({ id, author, body }) => ({ id, body, author: { id: author }, system: false }),
    routes: ({ statuses }, { list, read, create, edit, remove }) => [
      ['GET', /^\/api\/v4\/user$/, undefined, () => ({ status: 200, body: { id: OWN_USER } })],
      ['GET', /^\/api\/v4\/projects\/7\/merge_requests\/(\d+)\/notes$/, undefined, list],
      ['POST', /^\/api\/v4\/projects\/7\/merge_requests\/(\d+)\/notes$/, 'comments', create],
      ['GET', /^\/api\/v4\/projects\/7\/merge_requests\/(\d+)\/notes\/(\d+)$/, undefined, read],
      ['PUT', /^\/api\/v4\/projects\/7\/merge_requests\/(\d+)\/notes\/(\d+)$/, 'comments', edit],
      ['DELETE', /^\/api\/v4\/projects\/7\/merge_requests\/(\d+)\/notes\/(\d+)$/, 'comments', remove],
      [
        'POST',
        /^\/api\/v4\/projects\/7\/statuses\/[0-9a-f]{40}$/,
        'statuses',
        ({ body }) => keep(statuses, body, isGitLabStatus),
      ],
    ],
    listVariables: (url, build, request) => ({
      CI: 'true',
      GITLAB_CI: 'true',
      CI_API_V4_URL: `${url}/api/v4`,
      CI_PROJECT_ID: '7',
      CI_PROJECT_PATH: 'acme/shop',
      CI_PROJECT_URL: 'https://gitlab.example/acme/shop',
      CI_COMMIT_SHA: COMMIT,
      CI_JOB_NAME: 'report',
      CI_PIPELINE_ID: String(build),
      GITLAB_TOKEN: token,
      ...(request !== undefined && {
        CI_MERGE_REQUEST_IID: String(request),
        CI_MERGE_REQUEST_PROJECT_ID: '7',
      }),
    }),
  })
}

function keep(
  list: Record<string, unknown>[],
  body: Record<string, unknown>,
  isValid: (body: Record<string, unknown>) => boolean,
): Answer {
  if (!isValid(body)) return { status: 422, body: { message: 'Validation Failed' } }
  list.push(body)
  return { status: 201, body: { id: list.length } }
}

function isCheck({ conclusion, head_sha: commit, output }: Record<string, unknown>): boolean {
  const { summary, annotations } = output as {
    summary: string
    annotations: { path: string; start_line: number }[]
  }
  const arePlaced = annotations.every(({ path, start_line: line }) => !path.startsWith('/') && line > 0)
  const isConcluded = conclusion === 'success' || conclusion === 'failure'
  return (
    isConcluded &&
    /^[0-9a-f]{40}$/.test(String(commit)) &&
    summary.length <= 65_535 &&
    annotations.length <= 50 &&
    arePlaced
  )
}

function isStatus({ state, description }: Record<string, unknown>): boolean {
  return (state === 'success' || state === 'failure') && String(description).length <= 140
}

function isGitLabStatus({ state, target_url: url = '' }: Record<string, unknown>): boolean {
  return (state === 'success' || state === 'failed') && String(url).length <= 255
}
