import { afterEach, beforeEach, expect, it } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveServerConfig } from '../../base/config/server-config'
import { createContext, type OpenContext } from '../../open-context'
import { ensureCredentials } from '../first-start/ensure-credentials'
import { createRunIn } from '../../testing/start-test-server'
import { findFirstUser } from '../../record/access/users/store'
import { type Settings, writeSetting } from '../../record/access/settings/store'

let folder: string
let context: OpenContext
let userId: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runledger-settings-'))
  context = await createContext(
    resolveServerConfig({ data: folder, projectDir: folder, publicUrl: 'http://x.test' }, {}),
  )
  await ensureCredentials(context)
  userId = (await findFirstUser(context.database.query))?.id ?? 0
})

afterEach(async () => {
  await context.close()
  await rm(folder, { recursive: true, force: true })
})

function turnOff(
  name: keyof Settings & (`auto_create.${string}` | 'default_component.enabled'),
): Promise<void> {
  return context.database.write((transaction) => writeSetting(transaction, name, false))
}

async function create(unit: { serial_number: string; part_number?: string; revision?: string }) {
  const procedure = await context.database.query
    .selectFrom('procedures')
    .selectAll()
    .executeTakeFirstOrThrow()
  return createRunIn(
    context,
    { kind: 'user', userId, role: 'admin', keyId: null },
    { procedure_id: procedure.public_id, unit_under_test: unit, run_passed: true, duration: 'PT1S' },
  )
}

it('asks for the part number of a new unit when the default component is off', async () => {
  await turnOff('default_component.enabled')
  await expect(create({ serial_number: 'S' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    issues: [{ path: ['unit_under_test', 'part_number'] }],
  })
  await create({ serial_number: 'S', part_number: 'P' })
  await create({ serial_number: 'S' })
})

it('refuses new parts, revisions and units when they are not created on first sight, each by name', async () => {
  await create({ serial_number: 'S', part_number: 'P', revision: '1' })
  await turnOff('auto_create.part')
  await turnOff('auto_create.revision')
  await turnOff('auto_create.unit')
  const refused = (message: string) => ({
    code: 'FORBIDDEN',
    message: expect.stringContaining(message) as unknown,
  })
  await expect(create({ serial_number: 'S', part_number: 'Q' })).rejects.toMatchObject(
    refused('Part creation failed'),
  )
  await expect(create({ serial_number: 'S', part_number: 'P', revision: '2' })).rejects.toMatchObject(
    refused('Revision creation failed'),
  )
  await expect(create({ serial_number: 'T', part_number: 'P', revision: '1' })).rejects.toMatchObject(
    refused('Unit creation failed'),
  )
  await create({ serial_number: 'S', part_number: 'P', revision: '1' })
})
