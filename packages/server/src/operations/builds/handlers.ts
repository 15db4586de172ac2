import { type Build, parseTimestampUs, type PutExecutionResponse } from '@runledger/protocol'
import type { Context } from '../call/context'
import { readingFrom, type Transaction } from '../../storage/database/database'
import { HttpError, notFound } from '../../base/errors'
import { readBuildFacts } from '../../record/results/builds/build-facts'
import { resolveBuild } from '../../record/results/builds/build-store'
import type { Call, Handlers } from '../call/handler'
import { creatorColumns, type Principal } from '../../record/access/keys/principal'
import { readBuild, summarizeBuild } from '../../record/results/builds/read-build'
import {
  countExecutions,
  endExecution,
  findExecution,
  insertExecution,
  MAX_EXECUTIONS,
} from '../../record/results/builds/store'

export const BUILD_HANDLERS: Handlers<'getBuild' | 'putExecution'> = {
  getBuild: ({ context, params }) => getBuild(context, params.group),
  putExecution: (call) => putExecution(call),
}

/** @throws HttpError NOT_FOUND */
async function getBuild(context: Context, group: string): Promise<Build> {
  const build = await readBuild(context, group)
  if (!build) throw notFound(`build with the group "${group}"`)
  return build
}

type PutCall = Call<'putExecution'>

/** A repeated request changes nothing. @throws HttpError CONFLICT */
async function putExecution(call: PutCall): Promise<PutExecutionResponse> {
  const { context, params, body, write } = call
  const id = params.id.toLowerCase()
  await write((transaction, procedure) => putWithin(transaction, call, { id, procedureId: procedure.id }))
  const { database } = context
  const build = await database.read((query) =>
    getBuild({ ...context, database: readingFrom(database, query) }, body.group),
  )
  return { id, build: summarizeBuild(build) }
}

async function putWithin(
  transaction: Transaction,
  { context, principal, body }: PutCall,
  { id, procedureId }: { id: string; procedureId: number },
): Promise<void> {
  const { query } = transaction
  const end =
    body.ended_at === undefined
      ? undefined
      : { ended_at_us: context.clock(), missing_runs: body.missing_runs ?? 0 }
  const known = await findExecution(query, id)
  if (known) {
    if (known.procedure_id !== procedureId || known.group_name !== body.group) throw otherExecutionError(id)
    if (end) await endExecution(query, known.id, end)
    return
  }
  const { created_by_station_id } = creatorColumns(principal)
  const own = { stationId: created_by_station_id, procedureId }
  if ((await countExecutions(query, body.group, own)) >= MAX_EXECUTIONS)
    throw tooManyExecutionsError(principal, body.group)
  const startedAtUs = parseTimestampUs(body.started_at) ?? context.clock()
  const facts = readBuildFacts(body.group, {
    git_branch: body.git_branch || undefined,
    git_commit: body.git_commit || undefined,
    ci_build_url: body.ci_build_url || undefined,
    repository: body.repository || undefined,
  })
  await resolveBuild(transaction, facts, {
    procedureId,
    startedAtUs,
    nowUs: context.clock(),
    nextKey: context.nextKey,
  })
  await insertExecution(query, {
    id: context.nextKey(),
    public_id: id,
    procedure_id: procedureId,
    created_by_station_id,
    group_name: body.group,
    started_at_us: startedAtUs,
    created_at_us: context.clock(),
    ended_at_us: end?.ended_at_us ?? null,
    missing_runs: end?.missing_runs ?? 0,
    framework: body.framework ?? null,
    host: body.host ?? null,
    shard_index: body.shard_index ?? null,
    shard_total: body.shard_total ?? null,
    environment: body.environment ?? null,
    ci_job: body.ci_job ?? null,
    ci_attempt: body.ci_attempt ?? 0,
    ci_build_url: body.ci_build_url ?? null,
    git_branch: body.git_branch ?? null,
    git_commit: body.git_commit ?? null,
    repository: body.repository ?? null,
  })
}

function otherExecutionError(id: string): HttpError {
  return new HttpError(
    'CONFLICT',
    `An execution with the id "${id}" exists, of another procedure or group. Make a new id for each execution.`,
  )
}

function tooManyExecutionsError({ kind }: Principal, group: string): HttpError {
  const reporters = kind === 'station' ? 'This station' : 'The user and project keys of this procedure'
  return new HttpError(
    'CONFLICT',
    `${reporters} reported ${MAX_EXECUTIONS} executions of the build "${group}", which is the most. Give the next build a group of its own.`,
  )
}
