import type { Access, CheckedInput, OperationResult, OperationName, Operations } from '@runledger/protocol'
import type { Context } from '../context'
import type { Principal, StationPrincipal, UserPrincipal } from '../keys/principal'

/** Request headers as they came. */
export type RequestHeaders = Record<string, string | string[] | undefined>

/** Who may use an operation of this access. */
type PrincipalOf<Allowed extends Access> = Allowed extends 'user-key'
  ? UserPrincipal
  : Allowed extends 'station-key'
    ? StationPrincipal
    : Principal

/** A request of an operation after every check: who asks may use the operation, and what it sends fits the schemas. */
export interface Call<Name extends OperationName> extends CheckedInput<Name> {
  context: Context
  principal: PrincipalOf<Operations[Name]['access']>
  headers: RequestHeaders
}

/** Does what an operation is for. @throws HttpError for everything that it refuses */
export type Handler<Name extends OperationName> = (call: Call<Name>) => Promise<OperationResult<Name>>

/** Some operations with their handlers, as each folder of this package has them. */
export type Handlers<Names extends OperationName> = { [Name in Names]: Handler<Name> }
