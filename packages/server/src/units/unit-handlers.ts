import { initializeAttachment } from '../attachments/initialize-attachment'
import type { Handlers } from '../http/handler'
import { addUnitChild, removeUnitChild } from './change-children'
import { createUnit } from './create-unit'
import { deleteUnitAttachments } from './delete-unit-attachments'
import { deleteUnits } from './delete-units'
import { getUnit } from './get-unit'
import { listUnitPage } from './list-units'
import { updateUnit } from './update-unit'
import { updateV1Unit } from './update-v1-unit'

export const UNIT_HANDLERS: Handlers<
  | 'listUnits'
  | 'createUnit'
  | 'deleteUnits'
  | 'getUnit'
  | 'updateUnit'
  | 'createUnitAttachment'
  | 'deleteUnitAttachments'
  | 'addUnitChild'
  | 'removeUnitChild'
  | 'updateV1Unit'
  | 'deleteV1Unit'
> = {
  listUnits: ({ context, query }) => listUnitPage(context, query),
  createUnit: ({ context, principal, body }) => createUnit(context, principal, body),
  deleteUnits: async ({ context, query }) => ({ id: await deleteUnits(context, query.serial_numbers) }),
  getUnit: ({ context, params }) => getUnit(context, params.serial_number),
  updateUnit: ({ context, principal, params, body }) =>
    updateUnit(context, principal, { ...body, serialNumber: params.serial_number }),
  createUnitAttachment: ({ context, principal, params, body }) =>
    initializeAttachment(context, principal, { name: body.name, linkToUnit: params.serial_number }),
  deleteUnitAttachments: ({ context, params, query }) =>
    deleteUnitAttachments(context, params.serial_number, query.ids),
  addUnitChild: ({ context, params, body }) => addUnitChild(context, { ...params, ...body }),
  removeUnitChild: ({ context, params, query }) => removeUnitChild(context, { ...params, ...query }),
  updateV1Unit: ({ context, params, body }) => updateV1Unit(context, params.serial_number, body.sub_units),
  deleteV1Unit: async ({ context, params }) => {
    const [id = ''] = await deleteUnits(context, [params.serial_number])
    return { message: 'Unit deleted', id }
  },
}
