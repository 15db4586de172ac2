import type { InlineAttachment, MetadataValue } from '@runledger/protocol'
import type { RunRecord } from './run-record'

/** A text that was sent, and where in the body, for errors. */
export interface Sent {
  value: string
  path: (string | number)[]
}

/** What run creation of either interface comes to. */
export interface RunRequest {
  /** What the Idempotency-Key stands for: of what was understood, so that white space and unknown keys make no other body. */
  digest: () => string
  /** When the request came; the run counts as created then. */
  receivedAtUs: number
  procedureId: string
  unit: UnitRequest
  subUnits: Sent[]
  /** E-mail address of a user. */
  operatedBy: string | undefined
  procedureVersion: string | undefined
  unitMetadata: [name: string, value: MetadataValue][]
  record: RunRecord
  inlineAttachments?: InlineAttachment[] | undefined
  warnings: string[]
}

/** The unit under test and what it is an instance of. */
export interface UnitRequest {
  serialNumber: string
  partNumber: string | undefined
  revision: string | undefined
  batchNumber: string | undefined
  /** Where the body has the part number and the revision, for errors. */
  paths: { partNumber: string[]; revision: string[] }
  /** v1 takes a new serial number without a part number, by the default component; v2 does not. */
  mayUseDefaultComponent: boolean
}
