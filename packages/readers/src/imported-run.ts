import type { CreateV2RunRequestSchema, MetadataValue } from '@runledger/protocol'
import type * as z from 'zod'

type Sent = z.input<typeof CreateV2RunRequestSchema>

export interface ImportedRun {
  /** The procedure that the file names; undefined where it names none. */
  procedureId: string | undefined
  procedureName: string | undefined
  /** A name, or the e-mail address of a user: then the user is the run's operator. */
  operator?: string | undefined
  run: Omit<Sent, 'procedure_id' | 'metadata' | 'inline_attachments'>
  /** Names are free here, as in v1's `report_variables`. */
  metadata: [name: string, value: MetadataValue][]
  /** Files within the file. */
  attachments: ImportedAttachment[]
  declaredAttachments: string[]
  /** Changes and omissions, shown to the user: the first ones, and the number of the others. */
  warnings: string[]
  moreWarnings: number
}

export interface ImportedAttachment {
  name: string
  contentType: string | undefined
  bytes: Uint8Array
}
