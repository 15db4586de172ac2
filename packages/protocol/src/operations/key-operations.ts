import { IdResponseSchema } from '../resources/common'
import { CreateKeyRequestSchema, IssuedKeySchema, KeyPageSchema, ListKeysQuerySchema } from '../resources/key'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Keys'

export const KEY_OPERATIONS = {
  createKey: {
    tag,
    summary: 'Issue an API key, shown in this response alone',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    body: CreateKeyRequestSchema,
    response: IssuedKeySchema,
  },
  listKeys: {
    tag,
    summary: 'List API keys, masked, newest first',
    access: 'user-key',
    role: 'admin',
    errors: [],
    query: ListKeysQuerySchema,
    response: KeyPageSchema,
  },
  regenerateKey: {
    tag,
    summary: 'Replace an API key that may be compromised: the old one is invalid at once',
    access: 'user-key',
    role: 'admin',
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
    params: ID_PARAMS,
    response: IssuedKeySchema,
  },
  deleteKey: {
    tag,
    summary: 'Revoke an API key; not the last one of an admin that works',
    access: 'user-key',
    role: 'admin',
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
    params: ID_PARAMS,
    response: IdResponseSchema,
  },
} as const satisfies Record<string, Operation>
