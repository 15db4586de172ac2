import { CreateRunRequestSchema, OPERATIONS } from '@runledger/protocol'
import type { z } from 'zod'
import type { Context } from '../context'
import { type CheckedWrite, createCheckedWrite } from '../http/checked-write'
import type { Principal } from '../keys/principal'
import type { CheckedProcedure } from '../procedures/find-linked-procedure'
import { createRun } from '../runs/create-run'
import { mapV1Run } from '../runs/map-v1-run'

/** Creates a run without HTTP, as the specification's path does. */
export async function createRunIn(
  context: Context,
  principal: Principal,
  sent: z.input<typeof CreateRunRequestSchema>,
) {
  const body = CreateRunRequestSchema.parse(sent)
  const request = { context, principal, params: {}, body }
  const write = createCheckedWrite(OPERATIONS.createV1Run, request) as CheckedWrite<CheckedProcedure>
  return createRun(context, mapV1Run(body, context.clock()), { principal, write, strict: true })
}
