import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { creatorColumns, type Principal } from '../keys/principal'
import { findOwnRun } from '../runs/find-own-run'
import { unknownUnit } from '../units/unit-errors'
import { findUnitRecord } from '../units/unit-record-store'
import { createUploadUrl } from './address'
import { insertAttachment } from './attachment-store'

export interface NewAttachment {
  name: string
  contentType?: string | undefined
  /** Public id of the run that it is linked to as soon as its bytes arrive. */
  linkToRun?: string | undefined
  /** Serial number of the unit that it is linked to as soon as its bytes arrive. */
  linkToUnit?: string | undefined
}

/** Makes an attachment without bytes and an address to send them to (specification 4.2). */
export async function initializeAttachment(
  context: Context,
  principal: Principal,
  { name, contentType, linkToRun, linkToUnit }: NewAttachment,
): Promise<{ id: string; upload_url: string }> {
  await checkStoreReachable(context)
  const publicId = randomUUID()
  await context.database.write(async ({ query }) => {
    const run = linkToRun === undefined ? undefined : await findOwnRun(query, principal, linkToRun)
    const unit = linkToUnit === undefined ? undefined : await findUnitRecord(query, linkToUnit)
    if (linkToUnit !== undefined && !unit) throw unknownUnit(linkToUnit)
    await insertAttachment(query, {
      id: context.nextKey(),
      public_id: publicId,
      name,
      content_type: contentType ?? null,
      sha256: null,
      run_id: null,
      link_to_run_id: run?.id ?? null,
      created_at_us: context.clock(),
      ...creatorColumns(principal),
      unit_id: null,
      link_to_unit_id: unit?.id ?? null,
      received_at_us: null,
    })
  })
  return { id: publicId, upload_url: createUploadUrl(context, publicId) }
}

// Specification 7.2, BAD_GATEWAY.
async function checkStoreReachable({ blobs, log }: Context): Promise<void> {
  try {
    await blobs.checkReachable()
  } catch (error) {
    log.error('The store of attachments cannot be reached', error)
    throw new HttpError(
      'BAD_GATEWAY',
      'Failed to generate upload URL: the store of attachments cannot be reached.',
      {
        cause: error,
      },
    )
  }
}
