import {
  CreateUserRequestSchema,
  ListUsersQuerySchema,
  UpdateUserRequestSchema,
  UserListSchema,
  UserSchema,
} from '../resources/user'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Users'

export const USER_OPERATIONS = {
  listUsers: {
    tag,
    summary: 'List users, or with current=true who asks',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListUsersQuerySchema,
    response: UserListSchema,
  },
  createUser: {
    tag,
    summary: 'Create a user whom runs can name in operated_by',
    access: 'user-key',
    role: 'admin',
    errors: ['CONFLICT'],
    body: CreateUserRequestSchema,
    response: UserSchema,
  },
  updateUser: {
    tag,
    summary: 'Change the name or the e-mail address of a user',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    body: UpdateUserRequestSchema,
    response: UserSchema,
  },
} as const satisfies Record<string, Operation>
