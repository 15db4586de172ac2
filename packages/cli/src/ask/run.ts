import { ApiError, type Service } from '@runledger/core/tools'
import { type Build, type Client, MAX_PAGE_LIMIT, type VerdictList } from '@runledger/protocol'
import { CommandError } from '../command-error'
import { isId } from './history-pages'

/** The id of a run by its id or the beginning of it. @throws CommandError when there is none, or several */
export async function findRunId(client: Client, given: string): Promise<string> {
  const isWhole = isId(given)
  const search = isWhole ? { ids: [given] } : { search_query: given }
  const { data, meta } = await client.listRuns({ query: { ...search, limit: MAX_PAGE_LIMIT } })
  const [id, ...others] = data
    .map((run) => run.id)
    .filter((each) => each.toLowerCase().startsWith(given.toLowerCase()))
  // A search finds runs by more than their ids, so that there may be others beyond this page.
  if (others.length > 0 || meta.has_more)
    throw new CommandError(`"${given}" is too short to tell which run is meant: give more of its id`)
  if (id === undefined)
    throw new CommandError(`there is no run whose id ${isWhole ? 'is' : 'begins with'} "${given}"`)
  return id
}

/** A run as Markdown of bounded length, why it failed first. */
export async function readRunPage({ readPage }: Service, id: string): Promise<string> {
  return readPage(`/runs/${encodeURIComponent(id)}.md`)
}

/** The state of a build; undefined when the service has no builds, or none of this group. */
export async function findBuild(client: Client, group: string): Promise<Build | undefined> {
  return client.getBuild({ params: { group } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.serviceCode === 'NOT_FOUND') return undefined
    throw error
  })
}

/** Which failures are new, of a run or of all runs of a group; undefined where the service does not compare runs. */
export async function compareWithEarlier(
  client: Client,
  of: { ids: string[] } | { group: string },
): Promise<VerdictList | undefined> {
  return client.listVerdicts({ query: of }).catch(ignoreUnknown)
}

function ignoreUnknown(error: unknown): undefined {
  if (error instanceof ApiError && error.statusCode === 404) return undefined
  throw error
}
