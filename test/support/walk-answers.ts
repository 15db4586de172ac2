interface Page {
  data: Record<string, unknown>[]
  meta: { has_more: boolean; next_cursor: number | null }
}

interface List {
  path: string
  /** The path of one of its records. */
  one: (record: Record<string, unknown>) => string
}

const byId = (path: string, query = ''): List => ({
  path: path + query,
  one: ({ id }) => `${path}/${String(id)}`,
})
const byName = (path: string, field: string): List => ({
  path,
  one: (record) => `${path}/${encodeURIComponent(String(record[field]))}`,
})

const LISTS: readonly List[] = [
  byId('/v2/runs'),
  byId('/v2/procedures'),
  byId('/v2/stations'),
  byId('/v2/logs'),
  byName('/v2/units', 'serial_number'),
  byName('/v2/parts', 'number'),
  byName('/v2/batches', 'number'),
]

/** What is answered as a whole, and lists in other orders and with filters. */
const OTHERS = [
  '/v2/users',
  '/v2/settings',
  '/v1/runs?limit=20',
  ...['created_at', 'duration', 'started_at'].flatMap((field) => [
    `/v2/runs?sort_by=${field}&sort_order=asc`,
    `/v2/runs?sort_by=${field}&sort_order=desc`,
  ]),
  ...['FAIL', 'PASS', 'TIMEOUT'].map((outcome) => `/v2/runs?outcomes=${outcome}`),
  '/v2/runs?search_query=1',
  '/v2/runs?search_query=nothing-has-this',
  '/v2/units?search_query=1',
]

interface WalkOptions {
  /** Pages that are read of each list, of `limit` records each. @default all of them */
  pages?: number
  /** Records of each list that are asked for by themselves. @default all of them */
  records?: number
}

/**
 * The answers of a service to every GET of what it has on record, by their paths, and the bytes of attachments by their
 * ids. Addresses are left out where the service's own address and a signature make them differ.
 */
export async function walkAnswers(
  get: (path: string) => Promise<Response>,
  { pages = Infinity, records = Infinity }: WalkOptions = {},
): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const read = async (path: string): Promise<unknown> => {
    const response = await get(path)
    const text = await response.text()
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`)
    answers.set(path, withoutAddresses(text))
    for (const [, url, id] of text.matchAll(/"download_url":"(https?:[^"]*\/downloads\/([^"?]*)[^"]*)"/g)) {
      if (answers.has(`bytes of ${id}`)) continue
      const bytes = Buffer.from(await (await fetch(url as string)).arrayBuffer())
      answers.set(`bytes of ${id}`, bytes.toString('base64'))
    }
    return JSON.parse(text) as unknown
  }
  const walk = async ({ path, one }: List): Promise<Record<string, unknown>[]> => {
    const found: Record<string, unknown>[] = []
    let cursor: number | null | undefined
    for (let page = 0; page < pages && cursor !== null; page += 1) {
      const place = `${path.includes('?') ? '&' : '?'}limit=50${cursor === undefined ? '' : `&cursor=${cursor}`}`
      const { data, meta } = (await read(path + place)) as Page
      found.push(...data)
      cursor = meta.has_more ? meta.next_cursor : null
    }
    for (const record of found.slice(0, records)) await readWhole(await read(one(record)), read)
    return found
  }
  for (const path of OTHERS) await read(path)
  for (const list of LISTS) {
    const found = await walk(list)
    if (list.path !== '/v2/procedures') continue
    for (const { id } of found)
      for (const path of ['/v2/phases', '/v2/measurements'])
        await walk(byId(path, `?procedure_id=${String(id)}`))
  }
  return answers
}

/** What is below a record: versions of a procedure, revisions of a part. */
async function readWhole(record: unknown, read: (path: string) => Promise<unknown>): Promise<void> {
  const { number, revisions, procedure } = record as {
    number?: string
    revisions?: { number: string }[]
    procedure?: { id: string; version?: { tag: string } | null }
  }
  for (const revision of revisions ?? [])
    await read(
      `/v2/parts/${encodeURIComponent(number ?? '')}/revisions/${encodeURIComponent(revision.number)}`,
    )
  if (procedure?.version)
    await read(`/v2/procedures/${procedure.id}/versions/${encodeURIComponent(procedure.version.tag)}`)
}

function withoutAddresses(text: string): string {
  return text.replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, '').replaceAll(/\?expires=\d+&signature=[\w-]+/g, '')
}
