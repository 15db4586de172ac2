import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPostgresDatabase } from '../../../storage/database/postgres/postgres-database'
import { openSqliteDatabase } from '../../../storage/database/sqlite/sqlite-database'
import { startTestServer } from '../../../testing/start-test-server'
import { createTestDatabase, dropTestDatabase } from '../../../testing/test-database'
import { listPastRuns } from './store'

it('the past runs of a suite with a project are of its own procedure, and of that project', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runledger-verdicts-'))
  const server = await startTestServer({ data: folder })
  const created = await server.send('POST', '/v2/procedures', { name: 'Other', identifier: 'OTHER' })
  const { id: other } = (await created.json()) as { id: string }
  const record = async (project: string, procedureId = server.procedureId) => {
    const report_variables = { file: 'src/cart.test.ts', project }
    return (await server.createRun({ procedure_id: procedureId, report_variables })).id
  }
  const own = await record('web')
  await record('web', other)
  await record('mobile')
  await server.stop()
  const url = await createTestDatabase(folder)
  const database = await (url === undefined ? openSqliteDatabase(folder) : openPostgresDatabase(url))
  try {
    const { rows } = await sql<{ id: number; procedure_id: number; file: number; project: number }>`
      SELECT runs.id, procedure_id, files.value_id AS file, projects.value_id AS project FROM runs
        JOIN run_metadata AS files ON files.run_id = runs.id
        JOIN metadata_values AS file_values ON file_values.id = files.value_id AND file_values.name = 'file'
        JOIN run_metadata AS projects ON projects.run_id = runs.id
        JOIN metadata_values AS project_values
          ON project_values.id = projects.value_id AND project_values.name = 'project'
        WHERE runs.public_id = ${own}`.execute(database.query)
    const [run] = rows
    if (!run) throw new Error('The run is not on record.')
    const suite = { ...run, started_at_us: 0, before: Number.MAX_SAFE_INTEGER }
    expect(await listPastRuns(database.query, [suite], 10)).toEqual([run.id])
  } finally {
    await database.close()
    await dropTestDatabase(folder)
    await rm(folder, { recursive: true, force: true })
  }
})
