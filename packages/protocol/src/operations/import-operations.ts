import {
  ImportStructuredRequestSchema,
  ImportStructuredResponseSchema,
  ImportV1RequestSchema,
  V1StreamingSchema,
} from '../resources/import'
import { ImportTabularRequestSchema, ImportTabularResponseSchema } from '../resources/tabular-import'
import { CreateRunResponseSchema } from '../responses'
import type { Operation } from './operation'
import { CREATE_RUN_ERRORS, CREATE_RUN_HEADERS } from './v1-operations'

export const IMPORT_OPERATIONS = {
  importV1File: {
    tag: 'v1',
    summary: 'Create a run from an uploaded file, as plug-ins of OpenHTF do',
    access: 'linked-procedure',
    role: 'member',
    subject: { in: 'file', fields: ['procedure_id', 'procedure_name'] },
    errors: CREATE_RUN_ERRORS,
    headers: CREATE_RUN_HEADERS,
    body: ImportV1RequestSchema,
    response: CreateRunResponseSchema,
  },
  getV1Streaming: {
    tag: 'v1',
    summary: 'Say that no operator page shows tests while they run: their plug-ins ask before each test',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    response: V1StreamingSchema,
  },
  importStructuredFiles: {
    tag: 'Imports',
    summary:
      'Create runs from uploaded files of known formats; each file has its own result, 403 and 404 among them',
    access: 'any-key',
    role: 'member',
    errors: [],
    body: ImportStructuredRequestSchema,
    response: ImportStructuredResponseSchema,
  },
  importTabularFile: {
    tag: 'Imports',
    summary: 'Create runs from an uploaded CSV file, by a mapping of its columns',
    access: 'linked-procedure',
    role: 'member',
    subject: { in: 'file', fields: ['procedure_id', 'procedure_name'] },
    errors: CREATE_RUN_ERRORS,
    headers: CREATE_RUN_HEADERS,
    body: ImportTabularRequestSchema,
    response: ImportTabularResponseSchema,
  },
} as const satisfies Record<string, Operation>
