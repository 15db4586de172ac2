import { InitializeAttachmentResponseSchema } from '../responses'
import { IdResponseSchema } from '../resources/common'
import {
  AddUnitChildRequestSchema,
  CreateUnitAttachmentRequestSchema,
  CreateUnitRequestSchema,
  DeleteUnitAttachmentsResponseSchema,
  DeleteUnitAttachmentsQuerySchema,
  DeleteUnitsResponseSchema,
  DeleteUnitsQuerySchema,
  ListUnitsQuerySchema,
  RemoveUnitChildQuerySchema,
  UnitDetailSchema,
  UnitPageSchema,
  UpdateUnitRequestSchema,
} from '../resources/unit'
import type { Operation } from './operation'

const tag = 'Units'

const NAMED_UNIT = { in: 'params', fields: ['serial_number'] } as const

export const UNIT_OPERATIONS = {
  listUnits: {
    tag,
    summary: 'List units, newest first unless told otherwise',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListUnitsQuerySchema,
    response: UnitPageSchema,
  },
  createUnit: {
    tag,
    summary: 'Create a unit of a part and revision that exist',
    access: 'linked-station',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: CreateUnitRequestSchema,
    response: IdResponseSchema,
  },
  deleteUnits: {
    tag,
    summary: 'Delete units with their runs: all of them, or none when one is unknown',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    query: DeleteUnitsQuerySchema,
    response: DeleteUnitsResponseSchema,
  },
  getUnit: {
    tag,
    summary: 'Get a unit with what it holds, what holds it, and its attachments',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    response: UnitDetailSchema,
  },
  updateUnit: {
    tag,
    summary: 'Change a unit; metadata is merged by name, and null removes one',
    access: 'own-unit',
    role: 'member',
    subject: NAMED_UNIT,
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdateUnitRequestSchema,
    response: IdResponseSchema,
  },
  createUnitAttachment: {
    tag,
    summary: 'Initialize an attachment that is linked to the unit when its bytes arrive',
    access: 'own-unit',
    role: 'member',
    subject: NAMED_UNIT,
    errors: ['NOT_FOUND', 'BAD_GATEWAY'],
    body: CreateUnitAttachmentRequestSchema,
    response: InitializeAttachmentResponseSchema,
  },
  deleteUnitAttachments: {
    tag,
    summary: 'Delete attachments of a unit: all of them, or none when it has one of them not',
    access: 'own-unit',
    role: 'admin',
    subject: NAMED_UNIT,
    errors: ['NOT_FOUND'],
    query: DeleteUnitAttachmentsQuerySchema,
    response: DeleteUnitAttachmentsResponseSchema,
  },
  addUnitChild: {
    tag,
    summary: 'Put a unit into another',
    access: 'own-unit',
    role: 'member',
    subject: NAMED_UNIT,
    errors: ['NOT_FOUND'],
    body: AddUnitChildRequestSchema,
    response: IdResponseSchema,
  },
  removeUnitChild: {
    tag,
    summary: 'Take a unit out of another',
    access: 'own-unit',
    role: 'member',
    subject: NAMED_UNIT,
    errors: ['NOT_FOUND'],
    query: RemoveUnitChildQuerySchema,
    response: IdResponseSchema,
  },
} as const satisfies Record<string, Operation>
