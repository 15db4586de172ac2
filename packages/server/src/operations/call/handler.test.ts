import type { Operation, OperationName, Operations, SubjectAccess } from '@runledger/protocol'
import { expectTypeOf, it } from 'vitest'
import type { Call } from './handler'
import type { CheckedWrite, Subjects } from './subjects'

/** Names of the operations whose access depends on a procedure, a run or a unit that their request names. */
type OnSubjects = {
  [Name in OperationName]: Operations[Name] extends { subject: { in: 'params' | 'body' } } ? Name : never
}[OperationName]

/** Names of those whose handler reads the name from a file, and checks it by `writeToProcedure`. */
type OnFiles = {
  [Name in OperationName]: Operations[Name] extends { subject: { in: 'file' } } ? Name : never
}[OperationName]

/** Names of those whose handler is not handed the subject, or is given its name. */
type WithoutCheck = {
  [Name in OnSubjects]: Call<Name> extends {
    write: CheckedWrite<Subjects[Operations[Name]['access'] & SubjectAccess]>
  }
    ? SubjectFields<Name> & keyof Call<Name>[Operations[Name]['subject']['in']] extends never
      ? never
      : Name
    : Name
}[OnSubjects]

type SubjectFields<Name extends OnSubjects> = Operations[Name]['subject']['fields'][number]

it('a handler gets the procedure, run or unit of its operation checked, and not its name', () => {
  expectTypeOf<WithoutCheck>().toEqualTypeOf<never>()
  expectTypeOf<Call<'updateRun'>['params']>().toEqualTypeOf<Omit<{ id: string }, 'id'>>()
  expectTypeOf<Call<'getRun'>['params']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<Call<'syncV1Upload'>['body']>().toEqualTypeOf<
    Omit<{ upload_id: string; run_id: string }, 'run_id'>
  >()
  expectTypeOf<Call<'getRun'>>().not.toHaveProperty('write')
  expectTypeOf<Call<OnFiles>>().not.toHaveProperty('write')
  expectTypeOf<OnFiles>().toEqualTypeOf<'importV1File' | 'importTabularFile'>()
})

it('no operation is declared to be for a station’s own without saying where a request names it', () => {
  expectTypeOf<Operations['updateRun']>().toExtend<Operation>()
  expectTypeOf<Omit<Operations['updateRun'], 'subject'>>().not.toExtend<Operation>()
})
