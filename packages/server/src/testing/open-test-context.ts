import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveServerConfig } from '../base/config/server-config'
import { createContext, type OpenContext } from '../open-context'
import { ensureCredentials } from '../operations/first-start/ensure-credentials'
import { createProcedure } from '../operations/procedures/handlers'
import type { UserPrincipal } from '../record/access/keys/principal'
import { createTestDatabase, dropTestDatabase } from './test-database'

export interface TestContext {
  context: OpenContext
  principal: UserPrincipal
  /** Moves the clock forward. */
  advance(us: number): void
  close(): Promise<void>
}

/** The context of a service without HTTP, in a fresh folder, with procedures of these names and identifiers. */
export async function openTestContext(...procedures: string[]): Promise<TestContext> {
  const folder = await mkdtemp(join(tmpdir(), 'runledger-context-'))
  let nowUs = Date.now() * 1000
  const database = await createTestDatabase(folder)
  const flags = { data: folder, projectDir: folder, publicUrl: 'http://x.test', database }
  const log = { error: () => undefined, warn: () => undefined, info: () => undefined }
  const context = await createContext(resolveServerConfig(flags, {}), { clock: () => nowUs, log })
  const principal: UserPrincipal = {
    kind: 'user',
    userId: await ensureCredentials(context),
    role: 'admin',
    keyId: null,
  }
  for (const identifier of procedures)
    await createProcedure(context, principal, { name: identifier, identifier })
  return {
    context,
    principal,
    advance: (us) => void (nowUs += us),
    close: async () => {
      await context.close()
      await dropTestDatabase(folder)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
