import {
  CreateProcedureAnswerSchema,
  CreateProcedureRequestSchema,
  ListProceduresQuerySchema,
  ProcedurePageSchema,
} from '../resources/procedure'
import type { Operation } from './operation'

const tag = 'Procedures'

export const PROCEDURE_OPERATIONS = {
  listProcedures: {
    tag,
    summary: 'List procedures, newest first',
    access: 'any-key',
    errors: [],
    query: ListProceduresQuerySchema,
    answer: ProcedurePageSchema,
  },
  createProcedure: {
    tag,
    summary: 'Create a procedure',
    access: 'user-key',
    errors: ['CONFLICT'],
    body: CreateProcedureRequestSchema,
    answer: CreateProcedureAnswerSchema,
  },
} as const satisfies Record<string, Operation>
