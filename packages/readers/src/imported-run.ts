import type { CreateV2RunRequestSchema, MetadataValue } from '@runledger/protocol'
import type * as z from 'zod'

type Sent = z.input<typeof CreateV2RunRequestSchema>

/** What a reader makes of a file: a run as `POST /v2/runs` takes it, and what that request has no room for. */
export interface ImportedRun {
  /** The procedure that the file names; undefined where it names none. */
  procedureId: string | undefined
  procedureName: string | undefined
  run: Omit<Sent, 'procedure_id' | 'metadata' | 'inline_attachments'>
  /** Names are free here, as in v1's `report_variables`. */
  metadata: [name: string, value: MetadataValue][]
  /** Files within the file. */
  attachments: ImportedAttachment[]
  /** Names of files that belong to the run and are not in the file. */
  declaredAttachments: string[]
  /** What was changed or left out, for whoever imports. */
  warnings: string[]
}

export interface ImportedAttachment {
  name: string
  contentType: string | undefined
  bytes: Uint8Array
}
