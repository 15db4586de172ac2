import { TakenShardSchema, TakeShardRequestSchema } from '../resources/shard'
import type { Operation } from './operation'

export const SHARD_OPERATIONS = {
  takeShard: {
    tag: 'Builds',
    summary: 'Take the test files of one shard of a build, by a plan that is the same for all its shards',
    access: 'linked-procedure',
    role: 'member',
    subject: { in: 'body', fields: ['procedure_id'] },
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: TakeShardRequestSchema,
    response: TakenShardSchema,
  },
} as const satisfies Record<string, Operation>
