import { expect, it } from 'vitest'
import type { Statement } from './database'
import { createKysely } from './kysely'
import { SQLITE } from './sqlite/sqlite-engine'

const statements: Statement[] = []
const query = createKysely(SQLITE, async (statement) => {
  statements.push(statement)
  return { rows: [] }
})

async function compile(work: { execute: () => Promise<unknown> }): Promise<Statement> {
  await work.execute()
  return statements.at(-1) as Statement
}

const find = (keys: number[]) => compile(query.selectFrom('runs').select('id').where('id', 'in', keys))

it('writes lists of nearly the same length as one text, in which the last value comes again', async () => {
  const [text, values] = await find([1, 2, 3, 4, 5])
  expect(values).toEqual([1, 2, 3, 4, 5, 5, 5, 5])
  expect(await find([1, 2, 3, 4, 5, 6, 7])).toEqual([text, [1, 2, 3, 4, 5, 6, 7, 7]])
})

it.each([[[]], [[1]], [[1, 2]], [Array.from({ length: 600 }, (_, index) => index)]])(
  'leaves a list as it is that is empty, of such a length, or very long',
  async (keys: number[]) => {
    expect((await find(keys))[1]).toEqual(keys)
  },
)

it('inserts no row and no value twice', async () => {
  const rows = [1, 2, 3].map((key) => ({ kind: 'run' as const, record_id: key, requested_at_us: 0 }))
  const [, values] = await compile(query.insertInto('deletions').values(rows))
  expect(values).toHaveLength(9)
})
