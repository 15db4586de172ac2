import {
  listPathParams,
  OPERATION_ROUTES,
  OPERATIONS,
  type ErrorCode,
} from '../../packages/protocol/src/index'
import type { Operation, OperationName } from '../../packages/protocol/src/index'
import { listRefused } from './askers'
import type { ContractCase, ContractInput } from './contract-case'
import { UNKNOWN_ID } from './cases/unknown-id'
import { type Asker, MAX_BODY_BYTES } from './world'

export const OPERATION_NAMES = Object.keys(OPERATION_ROUTES) as OperationName[]

/** Codes that need no case of an operation's own: they follow from its access, its schemas, or what is broken (`outages.test.ts`). */
export const GENERATED_CODES: readonly ErrorCode[] = [
  'PARSE_ERROR',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UNAUTHORIZED',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
  'BAD_GATEWAY',
]

/** Parameters that no record has. */
export function dummyInput(operation: OperationName): ContractInput {
  const names = listPathParams(OPERATION_ROUTES[operation].path)
  return {
    params: Object.fromEntries(names.map((name) => [name, name.endsWith('id') ? UNKNOWN_ID : 'none-such'])),
  }
}

function malformedParams(operation: OperationName): Record<string, string> {
  const names = listPathParams(OPERATION_ROUTES[operation].path)
  return Object.fromEntries(names.map((name) => [name, 'none-such']))
}

/** Whether a procedure is not looked for, since the answer would tell one who may not whether there is one. */
function isHiddenFrom(asker: Asker, operation: OperationName): boolean {
  return !asker.endsWith('station') && OPERATION_ROUTES[operation].path.includes('{procedure_id}/')
}

/** What every operation of its kind answers, whatever it is for. */
export function generateCases(operation: OperationName): ContractCase[] {
  const { access, body, params } = OPERATIONS[operation] as Operation
  const given = (
    answers: ErrorCode,
    when: string,
    change: ContractInput,
    as: Asker = 'user',
  ): ContractCase => ({
    operation,
    answers,
    when,
    as: [as],
    input: () => ({ ...dummyInput(operation), ...change }),
  })
  const allowed: Asker = access === 'station-key' ? 'station' : 'user'
  return [
    ...(access === 'none'
      ? []
      : [
          given('UNAUTHORIZED', 'without a key', {}, 'nobody'),
          given('UNAUTHORIZED', 'with a bare key', { headers: { authorization: 'rl_user_x' } }, 'nobody'),
          given('UNAUTHORIZED', 'with a revoked key', {}, 'revoked'),
          given('UNAUTHORIZED', 'with an expired key', {}, 'expired'),
          given('UNAUTHORIZED', 'with an unknown key', { headers: { authorization: 'Bearer x' } }, 'nobody'),
        ]),
    ...(params ? [allowed, ...listRefused(operation).filter((as) => !isHiddenFrom(as, operation))] : []).map(
      (as) => given('BAD_REQUEST', 'with an id that is none', { params: malformedParams(operation) }, as),
    ),
    ...(body
      ? [
          given(
            'UNSUPPORTED_MEDIA_TYPE',
            'with text',
            { body: 'x', headers: { 'content-type': 'text/plain' } },
            allowed,
          ),
          given('PARSE_ERROR', 'with half a body', { body: '{"name":' }, allowed),
          given(
            'PAYLOAD_TOO_LARGE',
            'with too large a body',
            { body: `"${'x'.repeat(MAX_BODY_BYTES)}"` },
            allowed,
          ),
        ]
      : []),
  ]
}
