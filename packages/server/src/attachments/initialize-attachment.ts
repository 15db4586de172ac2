import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { Principal } from '../keys/principal'
import { unknownRun } from '../runs/get-run'
import { findRunKey } from '../runs/run-detail-store'
import { createUploadUrl } from './address'
import { insertAttachment } from './attachment-store'

export interface NewAttachment {
  name: string
  contentType?: string | undefined
  /** Public id of the run that it is linked to as soon as its bytes arrive. */
  linkToRun?: string | undefined
}

/** Makes an attachment without bytes and an address to send them to (specification 4.2). */
export async function initializeAttachment(
  context: Context,
  principal: Principal,
  { name, contentType, linkToRun }: NewAttachment,
): Promise<{ id: string; upload_url: string }> {
  const publicId = randomUUID()
  await context.database.write(async ({ query }) => {
    const runId = linkToRun === undefined ? null : await findRunKey(query, linkToRun)
    if (linkToRun !== undefined && runId === undefined) throw unknownRun(linkToRun)
    await insertAttachment(query, {
      id: context.nextKey(),
      public_id: publicId,
      name,
      content_type: contentType ?? null,
      sha256: null,
      run_id: null,
      link_to_run_id: runId ?? null,
      created_at_us: context.clock(),
      created_by_user_id: principal.userId,
      received_at_us: null,
    })
  })
  return { id: publicId, upload_url: createUploadUrl(context, publicId) }
}
