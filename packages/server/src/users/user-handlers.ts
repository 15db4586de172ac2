import type { Handlers } from '../http/handler'
import { createUser } from './create-user'
import { listUsers } from './list-users'
import { updateUser } from './update-user'

export const USER_HANDLERS: Handlers<'listUsers' | 'createUser' | 'updateUser'> = {
  listUsers: ({ context, principal, query }) => listUsers(context, principal, query),
  createUser: ({ context, body }) => createUser(context, body),
  updateUser: ({ context, params, body }) => updateUser(context, params.id, body),
}
