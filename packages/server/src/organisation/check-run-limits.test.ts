import { DEFAULT_SETTINGS, type Settings } from '@runledger/protocol'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../database/database'
import { firstKeyAt } from '../database/key-generator'
import { migrate } from '../database/migrate'
import { openSqliteDatabase } from '../database/sqlite-database'
import { checkRunLimits } from './check-run-limits'

let folder: string
let database: Database

const FEBRUARY = Date.UTC(2028, 1)
const MARCH = Date.UTC(2028, 2)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-limits-'))
  database = await openSqliteDatabase(folder)
  await migrate(database, () => 1)
  await database.write(async ({ run }) => {
    await run('PRAGMA defer_foreign_keys = ON', [])
    const columns = 'public_id, procedure_id, unit_id, revision_id, outcome'
    const times = 'started_at_us, ended_at_us, duration_us, created_at_us'
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
    // The last key of January, the first and the last of February, the first of March.
    for (const key of [
      firstKeyAt(FEBRUARY) - 1,
      firstKeyAt(FEBRUARY),
      firstKeyAt(MARCH) - 1,
      firstKeyAt(MARCH),
    ])
      await run(`INSERT INTO runs (id, ${columns}, ${times}) VALUES (?, 'x', 1, 1, 1, 'PASS', 1, 1, 0, 1)`, [
        key,
      ])
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

it('counts the runs of the calendar month alone', async () => {
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
