import * as z from 'zod'
import type { CommandContext } from '../command-context'
import type { Forge, ForgeComment, Status } from './forge'
import { type ForgeApi, openForgeApi, RefusedError } from './forge-api'
import type { JobFacts } from './job-facts'
import { MARK } from './marker'

const CommentSchema = z.object({
  id: z.int(),
  body: z.string().nullish(),
  html_url: z.string(),
  user: z.object({ id: z.int() }).nullish(),
})

/** docs.github.com/rest: issue comments (a pull request is an issue), check runs, commit statuses. */
export async function openGitHub(
  { api: url, token, project, request, commit }: JobFacts & { token: string },
  context: CommandContext,
): Promise<Forge> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
  }
  const api = await openForgeApi({ url, token, headers }, context)
  const repository = `/repos/${project.split('/').map(encodeURIComponent).join('/')}`
  const comments = `${repository}/issues/${request?.number}/comments`
  const ofComment = (id: number) => `${repository}/issues/comments/${id}`
  let author: number | undefined
  return {
    listReports: async () => {
      author ??= await readAuthor(api, url, context.env['GITHUB_GRAPHQL_URL'])
      const found: ForgeComment[] = []
      for await (const { id, body, html_url: page, user } of api.askPages(`${comments}?`, CommentSchema))
        if (user?.id === author && body?.startsWith(MARK)) found.push({ id, body, url: page })
      return found
    },
    readComment: async (id) =>
      (await api.ask({ method: 'GET', path: ofComment(id) }, CommentSchema)).body ?? '',
    createComment: async (body) =>
      (await api.ask({ method: 'POST', path: comments, body: { body } }, CommentSchema)).html_url,
    editComment: async (id, body) =>
      void (await api.ask({ method: 'PATCH', path: ofComment(id), body: { body } }, CommentSchema)),
    deleteComment: async (id) => void (await api.ask({ method: 'DELETE', path: ofComment(id) }, z.unknown())),
    writeStatus: (status) => writeStatus(api, { repository, commit }, status),
    close: () => api.close(),
  }
}

const ViewerSchema = z.object({ data: z.object({ viewer: z.object({ databaseId: z.int() }) }) })

/** Uses GraphQL, because the REST API does not return the user of an app's token, such as that of GitHub Actions. */
async function readAuthor(api: ForgeApi, url: string, graphQl = ''): Promise<number> {
  const own = new URL(url).origin
  if (!URL.canParse(graphQl) || new URL(graphQl).origin !== own)
    throw new RefusedError(`GITHUB_GRAPHQL_URL does not belong to ${own}`)
  const body = { query: 'query { viewer { databaseId } }' }
  const { pathname: path } = new URL(graphQl)
  const { data } = await api.ask({ method: 'POST', address: own, path, body }, ViewerSchema)
  return data.viewer.databaseId
}

interface Target {
  repository: string
  commit: string
}

/** GitHub refuses more annotations. */
const MAX_ANNOTATIONS = 50

/** Prefers a check, which has annotations. Only an app with the permission for checks may write one. */
async function writeStatus(
  api: ForgeApi,
  { repository, commit }: Target,
  status: Status,
): Promise<'check' | 'status'> {
  const { name, passed, title: description, url } = status
  try {
    const body = mapCheck(status, commit)
    await api.ask({ method: 'POST', path: `${repository}/check-runs`, body }, z.unknown())
    return 'check'
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
  }
  const body = { state: passed ? 'success' : 'failure', context: name, description, target_url: url }
  const path = `${repository}/statuses/${encodeURIComponent(commit)}`
  await api.ask({ method: 'POST', path, body }, z.unknown())
  return 'status'
}

function mapCheck({ name, passed, title, text, url, annotations }: Status, commit: string): object {
  return {
    name,
    head_sha: commit,
    status: 'completed',
    conclusion: passed ? 'success' : 'failure',
    details_url: url,
    output: {
      title,
      summary: text,
      annotations: annotations.slice(0, MAX_ANNOTATIONS).map(({ file, line, ...words }) => ({
        path: file,
        start_line: line,
        end_line: line,
        annotation_level: 'failure',
        ...words,
      })),
    },
  }
}
