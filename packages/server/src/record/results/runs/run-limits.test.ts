import { DEFAULT_SETTINGS, type Settings } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../../storage/database/database'
import { migrate } from '../../../storage/database/sqlite/migrate'
import { openSqliteDatabase } from '../../../storage/database/sqlite/sqlite-database'
import { insertRun } from './insert-store'
import { checkRunLimits } from './run-limits'

let folder: string
let database: Database

const FEBRUARY = Date.UTC(2028, 1)
const MARCH = Date.UTC(2028, 2)
const [FEBRUARY_US, MARCH_US] = [FEBRUARY * 1000, MARCH * 1000]

const RUN = {
  public_id: 'x',
  procedure_id: 1,
  unit_id: 1,
  revision_id: 1,
  outcome: 'PASS',
  started_at_us: 1,
  ended_at_us: 1,
  duration_us: 0,
  first_phase_at_us: null,
  last_phase_at_us: null,
  created_by_user_id: null,
  created_by_station_id: null,
  docstring: null,
  batch_id: null,
  version_id: null,
  operated_by_user_id: null,
  deployment_id: null,
  first_error_id: null,
  build_id: null,
  branch_id: null,
  environment: null,
  rerun: null,
  shard: null,
  file_id: null,
  project_id: null,
  is_of_line: 1,
} as const

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-limits-'))
  await migrate(folder)
  database = await openSqliteDatabase(folder)
  await database.write(async (transaction) => {
    const { run } = transaction
    await run(
      `INSERT INTO procedures (id, public_id, name, name_folded, created_at_us) VALUES (1, 'p', '', '', 1)`,
      [],
    )
    await run(
      `INSERT INTO parts (id, public_id, number, number_folded, name, created_at_us) VALUES (1, 'p', '', '', '', 1)`,
      [],
    )
    await run(
      `INSERT INTO revisions (id, public_id, part_id, number, number_folded, created_at_us) VALUES (1, 'r', 1, '', '', 1)`,
      [],
    )
    await run(
      `INSERT INTO units (id, public_id, serial_number, serial_number_folded, revision_id, created_at_us) VALUES (1, 'u', '', '', 1, 1)`,
      [],
    )
    // The last microsecond of January, the first and the last of February, the first of March.
    for (const [id, createdAtUs] of [FEBRUARY_US - 1, FEBRUARY_US, MARCH_US - 1, MARCH_US].entries())
      await insertRun(transaction, { ...RUN, id, created_at_us: createdAtUs })
    await transaction.run('DELETE FROM runs', [])
  })
})

afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

function check(change: Partial<Settings>, nowMs: number): Promise<void> {
  return database.write((transaction) =>
    checkRunLimits(transaction, { ...DEFAULT_SETTINGS, ...change }, nowMs * 1000),
  )
}

it('allows any number of runs by default', async () => {
  await check({}, FEBRUARY)
})

it('counts the runs of the calendar month alone, deleted ones included', async () => {
  for (const nowMs of [FEBRUARY, MARCH - 1]) {
    await check({ 'limits.runs_per_month': 3 }, nowMs)
    await expect(check({ 'limits.runs_per_month': 2 }, nowMs)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('Monthly limit exceeded: 2 runs') as unknown,
    })
  }
  await check({ 'limits.runs_per_month': 2 }, MARCH)
  await expect(check({ 'limits.runs_per_month': 1 }, MARCH)).rejects.toThrow('Monthly limit exceeded')
})

it('allows none with a limit of 0', async () => {
  await expect(check({ 'limits.runs_per_month': 0 }, Date.UTC(2030, 0))).rejects.toThrow('Monthly limit')
})

it('refuses every run while the plan must be upgraded', async () => {
  await expect(check({ 'plan.upgrade_required': true }, MARCH)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('Plan upgrade required') as unknown,
  })
})
