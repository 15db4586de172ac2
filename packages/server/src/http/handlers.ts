import type { OperationName } from '@runledger/protocol'
import { ATTACHMENT_HANDLERS } from '../attachments/attachment-handlers'
import { PROCEDURE_HANDLERS } from '../procedures/procedure-handlers'
import { RUN_HANDLERS } from '../runs/run-handlers'
import type { Handlers } from './handler'
import { SERVICE_HANDLERS } from './service-handlers'

/** What does each operation of the interface. */
export const HANDLERS: Handlers<OperationName> = {
  ...RUN_HANDLERS,
  ...ATTACHMENT_HANDLERS,
  ...PROCEDURE_HANDLERS,
  ...SERVICE_HANDLERS,
}
