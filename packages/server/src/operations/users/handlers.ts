import {
  type CreateUserRequest,
  foldIdentifier,
  type ListUsersQuery,
  type UpdateUserRequest,
  type User,
} from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import type { Context } from '../call/context'
import type { UsersTable } from '../../storage/database/schema/index'
import { HttpError, notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import type { Facts } from '../../record/access/audit/record-change'
import type { Principal } from '../../record/access/keys/principal'
import {
  findUser,
  findUserByEmail,
  findUserByPublicId,
  insertUser,
  listUsers as listRows,
  updateUser as updateRow,
} from '../../record/access/users/store'

export const USER_HANDLERS: Handlers<'listUsers' | 'createUser' | 'updateUser'> = {
  listUsers: ({ context, principal, query }) => listUsers(context, principal, query),
  createUser: ({ context, body }) => createUser(context, body),
  updateUser: ({ context, params, body }) => updateUser(context, params.id, body),
}

/** Stations see this address; clients expect a text that is not empty. */
const HIDDEN_EMAIL = 'hidden@users.invalid'

/** With `current`, only who asks, which a station is not. A station gets no e-mail addresses. */
async function listUsers(
  { database }: Context,
  principal: Principal,
  { current }: ListUsersQuery,
): Promise<User[]> {
  if (!current) {
    const users = (await listRows(database.query)).map(mapUser)
    return principal.kind === 'user' ? users : users.map((user) => ({ ...user, email: HIDDEN_EMAIL }))
  }
  const user = principal.kind === 'user' ? await findUser(database.query, principal.userId) : undefined
  return user && principal.kind === 'user' ? [{ ...mapUser(user), role: principal.role }] : []
}

/** Creates a user whom runs can name in `operated_by`. @throws HttpError CONFLICT for a known e-mail address */
async function createUser(
  { database, nextKey, clock, recordChange }: Context,
  { email, name }: CreateUserRequest,
): Promise<User> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const user = {
      id: nextKey(),
      public_id: randomUUID(),
      name: name ?? null,
      email,
      email_folded: foldIdentifier(email),
      created_at_us: clock(),
    }
    if (!(await insertUser(query, user))) throw emailTakenError(email)
    await recordChange(transaction, { ...describeUser(user), after: listFacts(user) })
    return mapUser(user)
  })
}

/** @throws HttpError NOT_FOUND, CONFLICT for an e-mail address of another user */
async function updateUser(
  { database, recordChange }: Context,
  publicId: string,
  { email, name }: UpdateUserRequest,
): Promise<User> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const user = await findUserByPublicId(query, publicId)
    if (!user) throw notFound(`user with the id "${publicId}"`)
    const owner = email === undefined ? undefined : await findUserByEmail(query, email)
    if (email !== undefined && owner && owner.id !== user.id) throw emailTakenError(email)
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(email === undefined ? {} : { email, email_folded: foldIdentifier(email) }),
    }
    if (Object.keys(change).length > 0) await updateRow(query, user.id, change)
    const changed = { ...user, ...change }
    await recordChange(transaction, {
      ...describeUser(user),
      before: listFacts(user),
      after: listFacts(changed),
    })
    return mapUser(changed)
  })
}

function describeUser({ public_id: id, name, email }: UsersTable) {
  return { kind: 'user', id, name: name ?? email ?? '' } as const
}

function listFacts({ name, email }: UsersTable): Facts {
  return { name, email }
}

function mapUser({ public_id, name, email }: UsersTable): User {
  return { id: public_id, name, email: email ?? '', banned: false, image: null }
}

function emailTakenError(email: string): HttpError {
  return new HttpError(
    'CONFLICT',
    `A user with the e-mail address "${email}" already exists. Use that one, or another address.`,
  )
}
