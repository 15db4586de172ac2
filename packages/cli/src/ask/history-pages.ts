import type { Service } from '@runledger/core/tools'
import { type Client, formatQuery, MAX_PAGE_LIMIT } from '@runledger/protocol'
import { CommandError } from '../command-error'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A page of the history as Markdown, such as `/tests`. */
export async function readHistoryPage(
  { readPage }: Service,
  path: string,
  query: object = {},
): Promise<string> {
  return readPage(`${path}.md${formatQuery(query)}`)
}

export function isId(text: string): boolean {
  return UUID.test(text)
}

/** The id of a listed record by its id or the beginning of it. @throws CommandError when there is none, or several */
export async function findListedId(
  given: string,
  list: () => Promise<readonly { id: string }[]>,
  [one, several]: readonly [one: string, several: string],
): Promise<string> {
  if (isId(given)) return given
  const found = (await list()).filter(({ id }) => id.startsWith(given.toLowerCase()))
  const [first] = found
  if (first && found.length === 1) return first.id
  throw new CommandError(
    `the id of ${first ? `${found.length} ${several} begins` : `no ${one} begins`} with "${given}"`,
  )
}

/** The id of a test by its id or name. @throws CommandError when there is none, or several */
export async function findTestId(client: Client, given: string): Promise<string> {
  if (isId(given)) return given
  const { data } = await client.listTests({
    query: { search_query: given, days: 365, limit: MAX_PAGE_LIMIT },
  })
  const exact = data.filter(({ name }) => name === given)
  const [test, ...others] = exact.length > 0 ? exact : data
  if (!test) throw new CommandError(`no test with "${given}" in its name has results in the last year`)
  if (others.length > 0)
    throw new CommandError(
      `"${given}" means several tests, give the id of one:\n${[test, ...others]
        .slice(0, MAX_NAMED)
        .map(({ id, name, file }) => `${id}  ${name}  ${file ?? ''}`)
        .join('\n')}`,
    )
  return test.id
}

const MAX_NAMED = 10
