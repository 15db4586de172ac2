import { BuildSchema, PutExecutionRequestSchema, PutExecutionResponseSchema } from '../resources/build'
import type { Operation } from './operation'
import { ID_PARAMS } from './path-params'

const tag = 'Builds'

export const BUILD_OPERATIONS = {
  getBuild: {
    tag,
    summary: 'Get a build, all runs of a group: what has become of it, and what is missing',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    response: BuildSchema,
  },
  putExecution: {
    tag,
    summary: 'Tell that an execution of a build has begun, or has ended',
    access: 'linked-procedure',
    role: 'member',
    subject: { in: 'body', fields: ['procedure_id'] },
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    body: PutExecutionRequestSchema,
    response: PutExecutionResponseSchema,
  },
} as const satisfies Record<string, Operation>
