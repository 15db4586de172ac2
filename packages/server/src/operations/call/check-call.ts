import { type Operation, OPERATION_ROUTES, type OperationName, OPERATIONS } from '@runledger/protocol'
import { MalformedError } from '../../base/errors'
import { type Principal, refuseRight } from '../../record/access/keys/principal'
import { refuseMalformedProcedure } from '../../record/catalogue/procedures/resolve-procedure'
import type { Context } from './context'
import type { Call, RequestHeaders } from './handler'
import { parseInput, parseInTurns, readQuery } from './input'
import { createCheckedWrite } from './subjects'
import { writingAs } from './writing-as'

export interface SentRequest {
  principal: Principal | undefined
  headers: RequestHeaders
  /** IP address of the client. */
  address?: string | undefined
  params: unknown
  query: unknown
  /** Forgets the body, which would double the memory beside its parsed form. */
  takeBody: () => unknown
  isLong: boolean
  /** Aborts when the client has gone. */
  signal: AbortSignal
}

/**
 * A malformed request gets 400, before the rights of the key are checked (docs/interface.md#order-of-checks). Values out of
 * range come last: clients in the field rely on 403 for them.
 */
export async function checkCall(
  context: Context,
  name: OperationName,
  request: SentRequest,
): Promise<Call<OperationName>> {
  const operation: Operation = OPERATIONS[name]
  const principal = request.principal as Principal
  const refusal = refuseRight(operation, principal)
  const input = await parseRequest(request, operation).catch((error: unknown) => {
    throw refusal && !(error instanceof MalformedError) ? refusal : error
  })
  const isV2 = OPERATION_ROUTES[name].path.startsWith('/v2/')
  const kind = request.principal?.kind
  // Neither a project key nor a refused role may learn which procedures there are.
  const isHidden = kind === 'project' || (kind === 'user' && refusal)
  if (isV2 && !isHidden) await refuseMalformedProcedure(context, input)
  if (refusal) throw refusal
  const isWrite = OPERATION_ROUTES[name].method !== 'GET' && operation.access !== 'none'
  const checked = {
    ...input,
    context: isWrite ? writingAs(context, { principal, operation: name, address: request.address }) : context,
    principal,
  }
  const call = { ...checked, headers: request.headers, write: createCheckedWrite(operation, checked) }
  return call as unknown as Call<OperationName>
}

// The types follow from the table of operations.
async function parseRequest({ params, query, takeBody, isLong }: SentRequest, operation: Operation) {
  const sent = takeBody()
  const body = operation.isBodyOptional ? (sent ?? {}) : sent
  parseInput(operation.params, params)
  return {
    params,
    query: parseInput(operation.query, readQuery(query)),
    body: isLong ? await parseInTurns(operation.body, body) : parseInput(operation.body, body),
  }
}
