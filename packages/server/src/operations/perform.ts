import { OPERATION_ROUTES, type OperationName } from '@runledger/protocol'
import { withDirectUploads } from '../record/files/attachments/direct-uploads'
import { checkCall, type SentRequest } from './call/check-call'
import type { Context } from './call/context'
import type { Handler } from './call/handler'
import { readSnapshot } from './call/snapshot'
import { HANDLERS } from './table'

/** @throws HttpError for everything that is refused */
export async function perform(
  context: Context,
  name: OperationName,
  request: SentRequest,
): ReturnType<Handler<OperationName>> {
  const handle = HANDLERS[name] as unknown as Handler<OperationName>
  const call = await checkCall(context, name, request)
  return OPERATION_ROUTES[name].method === 'GET'
    ? readSnapshot(call.context, request.signal, (reading) => handle({ ...call, context: reading }))
    : withDirectUploads(context, () => handle(call))
}
