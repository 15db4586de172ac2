import { createResponse, startTestServer, type TestServer } from '../testing/start-test-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../storage/database/database'

/** Prefix of each station's id; its number follows. */
const STATION = '00000000-0000-4000-8000-00000000'

let server: TestServer
let database: Database
const get = createResponse(() => server)

const MANY = 1200
const [OWNER, FIRST] = [1, 1000]

type Lists = Record<string, unknown[]>

beforeAll(async () => {
  server = await startTestServer({}, { wrapDatabase: (plain) => (database = plain) })
  const [user] = await database.query.selectFrom('users').select('id').execute()
  const rows = (columns: string, select: string) => `INSERT INTO ${columns}
    WITH RECURSIVE numbers (n) AS (SELECT ${FIRST} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${FIRST + MANY - 1})
    ${select}`
  const scripts = [
    `INSERT INTO parts (id, public_id, number, number_folded, name, created_at_us) VALUES (1, 'p', 'PART', 'part', 'Part', 1)`,
    rows(
      'revisions (id, public_id, part_id, number, number_folded, created_at_us)',
      `SELECT n, 'r' || n, 1, 'R' || n, 'r' || n, 1 FROM numbers`,
    ),
    `INSERT INTO units (id, public_id, serial_number, serial_number_folded, revision_id, created_at_us)
      VALUES (${OWNER}, 'u', 'HOLDER', 'holder', ${FIRST}, 1)`,
    rows(
      'units (id, public_id, serial_number, serial_number_folded, revision_id, created_at_us, parent_unit_id)',
      `SELECT n, 'u' || n, 'U' || n, 'u' || n, ${FIRST}, 1, ${OWNER} FROM numbers ORDER BY n DESC`,
    ),
    rows(
      'attachments (id, public_id, name, unit_id, created_at_us)',
      `SELECT n, 'a' || n, 'a' || n, ${OWNER}, 1 FROM numbers`,
    ),
    rows(
      'unit_metadata (unit_id, name, value_type, text_value)',
      `SELECT ${OWNER}, 'm' || n, 'string', 'v' FROM numbers`,
    ),
    rows(
      'procedures (id, public_id, identifier, identifier_folded, name, name_folded, created_at_us)',
      `SELECT n, 'pr' || n, 'P' || n, 'p' || n, 'P' || n, 'p' || n, 1 FROM numbers`,
    ),
    rows(
      'stations (id, public_id, name, name_folded, created_at_us, created_by_user_id)',
      `SELECT n, '${STATION}' || n, 'S' || n, 's' || n, 1, ${user?.id} FROM numbers`,
    ),
    rows(
      'station_procedures (station_id, procedure_id)',
      `SELECT ${FIRST}, n FROM numbers UNION ALL SELECT n, ${FIRST} FROM numbers WHERE n > ${FIRST}`,
    ),
    rows(
      'users (id, public_id, email, email_folded, created_at_us)',
      `SELECT n, 'us' || n, 'e' || n || '@x', 'e' || n || '@x', 1 FROM numbers`,
    ),
  ]
  await database.write(async ({ run }) => {
    for (const script of scripts) await run(script, [])
  })
})

afterAll(() => server.stop())

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${FIRST + index}`)

it.each([
  ['the children of a unit', '/v2/units/holder', 'children', 'u'],
  ['the attachments of a unit', '/v2/units/holder', 'attachments', 'a'],
  ['the revisions of a part', '/v2/parts/part', 'revisions', 'r'],
  ['the procedures of a station', `/v2/stations/${STATION}1000`, 'procedures', 'pr'],
  ['the stations of a procedure', '/v2/procedures/P1000', 'stations', STATION],
])('%s are the first thousand where it is shown by itself', async (_, path, field, prefix) => {
  const list = (await get<Lists>('GET', path))[field]
  expect(list?.map((item) => (item as { id: string }).id)).toEqual(names(prefix, 1000))
})

it.each([
  ['the children of a unit', '/v2/units?limit=100&sort_order=asc', 'children', 'u'],
  ['the revisions of a part', '/v2/parts?limit=100', 'revisions', 'r'],
  ['the procedures of a station', '/v2/stations?search_query=s1000', 'procedures', 'pr'],
])('%s are the first hundred in a list', async (_, path, field, prefix) => {
  const { data } = await get<{ data: Lists[] }>('GET', path)
  const ids = data.map((item) => item[field]?.map((inner) => (inner as { id: string }).id))
  expect(ids.find((list) => list?.length)).toEqual(names(prefix, 100))
})

it('a station in a list says how many procedures it has, also those that are not shown', async () => {
  const { data } = await get<{ data: object[] }>('GET', '/v2/stations?search_query=s1000')
  expect(data).toMatchObject([{ procedures_count: MANY }])
})

it('the metadata of a unit are the first by name, a thousand by itself and a hundred in a list', async () => {
  const { metadata } = await get<{ metadata: object }>('GET', '/v2/units/holder')
  expect(Object.keys(metadata)).toEqual(names('m', 1000))
  const page = await get<{ data: { metadata: object }[] }>(
    'GET',
    '/v2/units?serial_numbers=holder&include_metadata=true',
  )
  expect(Object.keys(page.data[0]?.metadata ?? {})).toEqual(names('m', 100))
})

it('the list of users has the first thousand', async () => {
  expect(await get<unknown[]>('GET', '/v2/users')).toHaveLength(1000)
})
