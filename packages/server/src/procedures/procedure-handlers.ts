import type { Handlers } from '../http/handler'
import { createVersion } from '../versions/create-version'
import { deleteVersion } from '../versions/delete-version'
import { getVersion } from '../versions/get-version'
import { createProcedure } from './create-procedure'
import { deleteProcedure } from './delete-procedure'
import { getProcedure } from './get-procedure'
import { listProcedurePage } from './list-procedures'
import { updateProcedure } from './update-procedure'

export const PROCEDURE_HANDLERS: Handlers<
  | 'listProcedures'
  | 'createProcedure'
  | 'getProcedure'
  | 'updateProcedure'
  | 'deleteProcedure'
  | 'createProcedureVersion'
  | 'getProcedureVersion'
  | 'deleteProcedureVersion'
> = {
  listProcedures: ({ context, query }) => listProcedurePage(context, query),
  createProcedure: ({ context, principal, body }) => createProcedure(context, principal, body),
  getProcedure: ({ context, params }) => getProcedure(context, params.id),
  updateProcedure: ({ context, params, body }) => updateProcedure(context, params.id, body),
  deleteProcedure: ({ context, params }) => deleteProcedure(context, params.id),
  createProcedureVersion: ({ context, principal, params, body }) =>
    createVersion(context, principal, { procedureId: params.procedure_id, tag: body.tag }),
  getProcedureVersion: ({ context, params }) => getVersion(context, params),
  deleteProcedureVersion: ({ context, params }) => deleteVersion(context, params),
}
