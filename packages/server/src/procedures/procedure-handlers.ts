import type { Handlers } from '../http/handler'
import { createProcedure } from './create-procedure'
import { listProcedurePage } from './list-procedures'

export const PROCEDURE_HANDLERS: Handlers<'listProcedures' | 'createProcedure'> = {
  listProcedures: ({ context, query }) => listProcedurePage(context, query),
  createProcedure: ({ context, principal, body }) => createProcedure(context, principal, body),
}
