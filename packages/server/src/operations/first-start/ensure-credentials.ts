import { type Credentials, foldIdentifier } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Context } from '../call/context'
import type { Transaction } from '../../storage/database/database'
import type { UserPrincipal } from '../../record/access/keys/principal'
import { findActiveKey, hashSecret, issueKey } from '../../record/access/keys/store'
import { createProcedureWithin } from '../../record/catalogue/procedures/resolve-procedure'
import { findFirstProcedure, findProcedure } from '../../record/catalogue/procedures/store'
import { findFirstUser, insertUser } from '../../record/access/users/store'
import { readCredentials, writeCredentials } from '../../storage/folder/data-folder'

/**
 * Ensures a user, a first procedure and a working credentials file. An admin's key that works is kept; the address is updated,
 * so call it only when the service listens. Returns the id of the owner.
 */
export async function ensureCredentials(context: Context): Promise<number> {
  const { config, database } = context
  const { dataDir } = config
  const project = await resolveProjectName(config.projectDir)
  // One write: another process of the same database may start for the first time too.
  const userId = await database.write((transaction) => ensureOwner(context, transaction, project))
  const found = await readCredentials(dataDir)
  const credentials: Credentials = {
    url: context.publicUrl,
    api_key: await keepOrCreateKey(context, userId, found?.api_key),
    procedure_id: await keepOrFindProcedure(context, found?.procedure_id),
    service_secret: context.serviceSecret,
  }
  if (JSON.stringify(found) !== JSON.stringify(credentials)) await writeCredentials(dataDir, credentials)
  return userId
}

async function ensureOwner(
  context: Context,
  transaction: Transaction,
  project: ProjectName,
): Promise<number> {
  const userId = await ensureUser(context, transaction)
  const principal: UserPrincipal = { kind: 'user', userId, role: 'admin', keyId: null }
  if (!(await findFirstProcedure(transaction.query)))
    await createProcedureWithin(context, transaction, { principal, procedure: project })
  return userId
}

async function ensureUser({ config, nextKey, clock }: Context, { query }: Transaction): Promise<number> {
  const first = await findFirstUser(query)
  if (first) return first.id
  const user = {
    id: nextKey(),
    public_id: randomUUID(),
    name: 'Local user',
    email: config.ownerEmail,
    email_folded: foldIdentifier(config.ownerEmail),
    created_at_us: clock(),
  }
  await insertUser(query, user)
  return user.id
}

async function keepOrCreateKey(context: Context, userId: number, key: string | undefined): Promise<string> {
  const { database, clock } = context
  const active = key === undefined ? undefined : await findActiveKey(database.query, hashSecret(key), clock())
  if (key !== undefined && active?.principal.kind === 'user' && active.principal.role === 'admin') return key
  const issued = await database.write(async (transaction) => {
    const fresh = await issueKey(context, transaction, { userId, name: 'Local credentials file' })
    const { public_id: id, name, kind, role, hint } = fresh.key
    await context.recordChange(transaction, { kind: 'key', id, name, after: { kind, role, hint } })
    return fresh
  })
  return issued.secret
}

async function keepOrFindProcedure(
  { database }: Context,
  identifier: string | undefined,
): Promise<string | undefined> {
  if (identifier !== undefined) {
    const known = await database.write((transaction) => findProcedure(transaction, identifier))
    if (known) return identifier
  }
  const first = await findFirstProcedure(database.query)
  return first?.identifier ?? first?.public_id
}

interface ProjectName {
  identifier: string
  name: string
}

/** From the nearest package.json upward with a name, else the folder. Only the identifier loses a scope's mark: `acme-lamp`. */
async function resolveProjectName(projectDir: string): Promise<ProjectName> {
  const name = (await findPackageName(projectDir)) ?? (basename(projectDir).trim() || 'tests')
  const identifier = name
    .replace(/^@/, '')
    .replaceAll(/[\\/\s]+/g, '-')
    .slice(0, 255)
  return { identifier: identifier || 'tests', name: name.slice(0, 255) }
}

async function findPackageName(folder: string): Promise<string | undefined> {
  const name = await readPackageName(join(folder, 'package.json'))
  const parent = dirname(folder)
  return name ?? (parent === folder ? undefined : findPackageName(parent))
}

async function readPackageName(path: string): Promise<string | undefined> {
  try {
    const content = JSON.parse(await readFile(path, 'utf8')) as unknown
    if (typeof content !== 'object' || content === null || !('name' in content)) return undefined
    return typeof content.name === 'string' && content.name.trim() ? content.name.trim() : undefined
  } catch {
    return undefined
  }
}
