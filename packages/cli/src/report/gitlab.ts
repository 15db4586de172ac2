import * as z from 'zod'
import type { CommandContext } from '../command-context'
import type { Forge, ForgeComment } from './forge'
import { openForgeApi } from './forge-api'
import type { JobFacts } from './job-facts'
import { MARK } from './marker'

const NoteSchema = z.object({ id: z.int(), body: z.string(), author: z.object({ id: z.int() }).nullish() })

/** GitLab refuses a longer one. */
const MAX_ADDRESS = 255

/** docs.gitlab.com/api: notes of merge requests, commit statuses. */
export async function openGitLab(
  { api: url, token, project, request, commit, build }: JobFacts & { token: string },
  context: CommandContext,
): Promise<Forge> {
  const api = await openForgeApi({ url, token, headers: { 'private-token': token } }, context)
  const notes = `/projects/${encodeURIComponent(request?.project ?? project)}/merge_requests/${request?.number}/notes`
  const link = (id: number) => `${request?.url}#note_${id}`
  let author: number | undefined
  return {
    listReports: async () => {
      author ??= (await api.ask({ method: 'GET', path: '/user' }, z.object({ id: z.int() }))).id
      const found: ForgeComment[] = []
      for await (const note of api.askPages(`${notes}?sort=asc&order_by=created_at`, NoteSchema))
        if (note.author?.id === author && note.body.startsWith(MARK))
          found.push({ id: note.id, body: note.body, url: link(note.id) })
      return found
    },
    readComment: async (id) => (await api.ask({ method: 'GET', path: `${notes}/${id}` }, NoteSchema)).body,
    createComment: async (body) =>
      link((await api.ask({ method: 'POST', path: notes, body: { body } }, NoteSchema)).id),
    editComment: async (id, body) =>
      void (await api.ask({ method: 'PUT', path: `${notes}/${id}`, body: { body } }, NoteSchema)),
    deleteComment: async (id) =>
      void (await api.ask({ method: 'DELETE', path: `${notes}/${id}` }, z.unknown())),
    writeStatus: async ({ name, passed, title: description, url: page }) => {
      const body = {
        state: passed ? 'success' : 'failed',
        name,
        description,
        ...(page && page.length <= MAX_ADDRESS && { target_url: page }),
        // Without an id, GitLab adds a new pipeline.
        ...(build > 0 && { pipeline_id: build }),
      }
      const path = `/projects/${encodeURIComponent(project)}/statuses/${encodeURIComponent(commit)}`
      await api.ask({ method: 'POST', path, body }, z.unknown())
      return 'status'
    },
    close: () => api.close(),
  }
}
