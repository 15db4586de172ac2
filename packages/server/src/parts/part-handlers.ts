import type { Handlers } from '../http/handler'
import { createPart } from './create-part'
import { createRevision } from './create-revision'
import { deletePart } from './delete-part'
import { deleteRevision } from './delete-revision'
import { getPart } from './get-part'
import { getRevision } from './get-revision'
import { listPartPage } from './list-parts'
import { updatePart } from './update-part'
import { updateRevision } from './update-revision'

export const PART_HANDLERS: Handlers<
  | 'listParts'
  | 'createPart'
  | 'getPart'
  | 'updatePart'
  | 'deletePart'
  | 'createRevision'
  | 'getRevision'
  | 'updateRevision'
  | 'deleteRevision'
> = {
  listParts: ({ context, query }) => listPartPage(context, query),
  createPart: ({ context, principal, body }) => createPart(context, principal, body),
  getPart: ({ context, params }) => getPart(context, params.number),
  updatePart: ({ context, params, body }) => updatePart(context, params.number, body),
  deletePart: ({ context, params }) => deletePart(context, params.number),
  createRevision: ({ context, principal, params, body }) =>
    createRevision(context, principal, { partNumber: params.part_number, number: body.number }),
  getRevision: ({ context, params }) => getRevision(context, params),
  updateRevision: ({ context, params, body }) => updateRevision(context, params, body),
  deleteRevision: ({ context, params }) => deleteRevision(context, params),
}
