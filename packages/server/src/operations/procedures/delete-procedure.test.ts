import { afterAll, beforeAll, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveServerConfig } from '../../base/config/server-config'
import { createContext, type OpenContext } from '../../open-context'
import { ensureCredentials } from '../first-start/ensure-credentials'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { createStation } from '../stations/handlers'
import { createRunIn } from '../../testing/start-test-server'
import { findFirstUser } from '../../record/access/users/store'
import { createVersion } from '../versions/handlers'
import { createProcedure, deleteProcedure } from './handlers'

let folder: string
let context: OpenContext
let principal: UserPrincipal

const TABLES = ['runs', 'phases', 'definitions', 'procedure_versions', 'station_procedures'] as const

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-procedures-'))
  context = await createContext(
    resolveServerConfig({ data: folder, projectDir: folder, publicUrl: 'http://x.test' }, {}),
  )
  await ensureCredentials(context)
  principal = {
    kind: 'user',
    userId: (await findFirstUser(context.database.query))?.id ?? 0,
    role: 'admin',
    keyId: null,
  }
})

afterAll(async () => {
  await context.close()
  await rm(folder, { recursive: true, force: true })
})

async function createFullProcedure(identifier: string): Promise<void> {
  await createProcedure(context, principal, { name: identifier, identifier })
  await createVersion(context, principal, { procedureId: identifier, tag: 'v1' })
  await createStation(context, principal, { name: 'Bench', procedure_id: identifier })
  const step = { name: 'Measure', step_passed: true, started_at: '2026-11-20T09:30:00Z', duration: 'PT1S' }
  await createRunIn(context, principal, {
    procedure_id: identifier,
    unit_under_test: { serial_number: 'S', part_number: 'P', revision: 'A' },
    run_passed: true,
    duration: 'PT1S',
    steps: [step],
  })
  await context.database.write(({ run }) =>
    run(
      'UPDATE runs SET version_id = (SELECT id FROM procedure_versions WHERE procedure_id = runs.procedure_id)',
      [],
    ),
  )
}

async function countRows(): Promise<number[]> {
  const counts = TABLES.map((table) =>
    context.database.query
      .selectFrom(table)
      .select((select) => select.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow(),
  )
  return (await Promise.all(counts)).map(({ rows }) => rows)
}

it('deletes all that hangs on a procedure, and nothing of another', async () => {
  await createFullProcedure('KEPT')
  const before = await countRows()
  expect(before).toEqual(TABLES.map(() => 1))
  await createFullProcedure('GONE')
  expect(await countRows()).toEqual(TABLES.map(() => 2))
  await deleteProcedure(context, 'gone')
  expect(await countRows()).toEqual(before)
  await createFullProcedure('GONE')
  expect(await countRows()).toEqual(TABLES.map(() => 2))
})
