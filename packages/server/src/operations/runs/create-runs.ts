import { CreateRunRequestSchema, type CreateRunsResponseSchema, OPERATIONS } from '@runledger/protocol'
import type * as z from 'zod'
import { HttpError } from '../../base/errors'
import type { Call } from '../call/handler'
import { parseInTurns } from '../call/input'
import { type CheckedProcedure, type CheckedWrite, createCheckedWrite } from '../call/subjects'
import { createRun } from './create-run'
import { mapV1Run } from '../../record/results/runs/map-v1-run'
import { createV1Error } from '../call/v1-error'

type BatchCall = Call<'createV1Runs'>
type Response = z.input<typeof CreateRunsResponseSchema>
type RunResult = Response['runs'][number]

/**
 * Each run is checked and stored as if sent by itself. A failure of the service refuses the whole request; repeated with the same
 * keys, created runs get the same response.
 */
export async function createRuns(call: BatchCall): Promise<Response> {
  const { runs } = call.body
  // The database puts waiting writes into one transaction (group commit).
  const settled = await Promise.allSettled(runs.map((each) => createOne(call, each)))
  const results = settled.map((one) => (one.status === 'fulfilled' ? one.value : refuseOne(call, one.reason)))
  return { runs: results }
}

async function createOne(
  { context, principal }: BatchCall,
  { idempotency_key: idempotencyKey, run }: BatchCall['body']['runs'][number],
): Promise<RunResult> {
  const body = await parseInTurns(CreateRunRequestSchema, run)
  const asked = { context, principal, params: {}, body }
  const write = createCheckedWrite(OPERATIONS.createV1Run, asked) as CheckedWrite<CheckedProcedure>
  const request = await mapV1Run(body, context.clock())
  return { created: await createRun(context, request, { principal, write, strict: true, idempotencyKey }) }
}

/** @throws the error itself when the run is not at fault */
function refuseOne({ context }: BatchCall, thrown: unknown): RunResult {
  if (!(thrown instanceof HttpError) || thrown.statusCode >= 500) throw thrown
  context.metrics.countRefusal(thrown.code)
  return { error: createV1Error(thrown) }
}
