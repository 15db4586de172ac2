import type { CreateRunAnswer } from '@runledger/protocol'
import { describeError } from '../errors'
import type { RunRecord } from '../run/map-suite'
import { deliverAttachments } from './deliver-attachments'
import type { ServiceClient } from './service-client'

/** What became of a run: on record with its address, perhaps without some attachments, or not. */
export type RunDelivery =
  | { status: 'delivered'; passed: boolean; answer: CreateRunAnswer; problems: string[] }
  | { status: 'failed'; passed: boolean; error: unknown }

/** Creates a run, sends its attachments, links them. Never throws; what failed is in the answer. */
export async function deliverRun(
  client: ServiceClient,
  record: RunRecord,
  idempotencyKey: string,
): Promise<RunDelivery> {
  const passed = record.request.run_passed
  try {
    const answer = await client.createRun(record.request, idempotencyKey)
    const problems = await sendAndLink(client, record, deriveRunId(answer))
    return { status: 'delivered', passed, answer, problems }
  } catch (error) {
    return { status: 'failed', passed, error }
  }
}

async function sendAndLink(
  client: ServiceClient,
  record: RunRecord,
  runId: string | undefined,
): Promise<string[]> {
  if (record.attachments.length === 0) return []
  if (runId === undefined) return [`attachments: the service's answer to run creation has no run id`]
  const { ids, problems } = await deliverAttachments(client, record.attachments)
  if (ids.length === 0) return problems
  try {
    await client.linkAttachments(runId, ids)
    return problems
  } catch (error) {
    return [...problems, `${ids.length} attachments could not be linked: ${describeError(error)}`]
  }
}

/** A service of the bare specification answers only `url`; the run's id is its last path segment (contract decisions, v1). */
function deriveRunId({ id, url }: CreateRunAnswer): string | undefined {
  if (id) return id
  const segment = url.split(/[?#]/, 1)[0]?.split('/').filter(Boolean).at(-1)
  try {
    return segment && decodeURIComponent(segment)
  } catch {
    return segment
  }
}
