import type {
  Access,
  CheckedInput,
  Operation,
  OperationName,
  OperationResult,
  Operations,
  SubjectAccess,
} from '@runledger/protocol'
import type { Context } from './context'
import type { Database } from '../../storage/database/database'
import type { Principal, StationPrincipal, UserPrincipal } from '../../record/access/keys/principal'
import type { CheckedWrite, Subjects } from './subjects'

export type RequestHeaders = Record<string, string | string[] | undefined>

type PrincipalOf<Allowed extends Access> = Allowed extends 'user-key'
  ? UserPrincipal
  : Allowed extends 'station-key'
    ? StationPrincipal
    : Principal

/** After every check: the principal may use the operation, and the input fits the schemas. */
export type Call<Name extends OperationName> = {
  context: Context
  principal: PrincipalOf<Operations[Name]['access']>
  headers: RequestHeaders
  params: WithoutSubject<Name, 'params'>
  query: CheckedInput<Name>['query']
  body: WithoutSubject<Name, 'body'>
} & WriteOf<Operations[Name]>

/** The only way to the subject: `write` finds and checks it in one transaction (`writeToProcedure` for one that a file names). */
type WriteOf<Asked extends Operation> = Asked extends { readonly subject: { readonly in: 'file' } }
  ? unknown
  : Asked['access'] extends SubjectAccess
    ? { write: CheckedWrite<Subjects[Asked['access']]> }
    : unknown

/** Without the subject's name, so that no handler can look it up and forget the check. */
type WithoutSubject<Name extends OperationName, Part extends 'params' | 'body'> = Operations[Name] extends {
  readonly subject: { readonly in: Part; readonly fields: readonly (infer Field extends string)[] }
}
  ? Omit<CheckedInput<Name>[Part], Field>
  : CheckedInput<Name>[Part]

/** @throws HttpError for everything that it refuses */
export type Handler<Name extends OperationName> = (
  call: Call<Name>,
) => Promise<OperationResult<Name> | JsonText>

export type Handlers<Names extends OperationName> = { [Name in Names]: Handler<Name> }

/** A response too long to be made at once: JSON is written as fast as the client reads it. */
export class JsonText {
  /** Does its own reads, because the snapshot of the request is over. */
  readonly write: (database: Database) => AsyncIterable<string>

  constructor(write: JsonText['write']) {
    this.write = write
  }
}

/** Members that come in pieces are JSON already. */
export async function* writeObject(members: object): AsyncGenerator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    if (isInPieces(value)) yield* value
    else yield JSON.stringify(value)
  }
  yield before === '{' ? '{}' : '}'
}

function isInPieces(value: unknown): value is AsyncIterable<string> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

export async function* writeList(pieces: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = '['
  for await (const items of pieces) {
    if (items.length === 0) continue
    yield before + JSON.stringify(items).slice(1, -1)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
