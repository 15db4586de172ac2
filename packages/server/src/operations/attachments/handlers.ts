import { randomUUID } from 'node:crypto'
import { removeBlobs } from '../../record/files/blobs/store'
import { tooLargeError } from '../../storage/blobs/staging-folder'
import type { Context } from '../call/context'
import type { Query, Transaction } from '../../storage/database/database'
import type { AttachmentsTable } from '../../storage/database/schema/index'
import { HttpError } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { type CheckedWrite, mayTakeAway, refuseForeignUpload } from '../call/subjects'
import { type Principal, uploaderColumns } from '../../record/access/keys/principal'
import type { CheckedRun } from '../../record/results/runs/store'
import { BytesMissingError, attachmentNotFound } from '../../record/files/attachments/bytes'
import { createDownloadUrl, createUploadUrl } from '../../record/files/attachments/addresses'
import { listUnlinkedPage } from '../../record/files/attachments/unlinked'
import {
  deleteTwins,
  deleteAttachmentRowsByKey,
  dropReferences,
  findAttachment,
  insertAttachment,
  isImage,
  updateAttachment,
} from '../../record/files/attachments/store'

export const ATTACHMENT_HANDLERS: Handlers<
  | 'initializeAttachment'
  | 'listUnlinkedAttachments'
  | 'finalizeAttachment'
  | 'deleteAttachments'
  | 'initializeV1Upload'
  | 'syncV1Upload'
> = {
  initializeAttachment: ({ context, principal, body }) => initializeAttachment(context, principal, body),
  listUnlinkedAttachments: ({ context, query }) => listUnlinkedPage(context, query),
  finalizeAttachment: ({ context, params }) => finalizeAttachment(context, params.id),
  deleteAttachments: ({ context, query }) => deleteAttachments(context, query.ids),
  initializeV1Upload: async ({ context, principal, body }) => {
    const { maxAttachmentBytes } = context.config
    if ((body.sizeBytes ?? 0) > maxAttachmentBytes) throw tooLargeError(maxAttachmentBytes)
    const { id, upload_url: uploadUrl } = await initializeAttachment(context, principal, {
      name: body.name,
      contentType: body.mimeType,
    })
    return { id, uploadUrl }
  },
  syncV1Upload: ({ principal, write, body }) => syncUpload(principal, write, body.upload_id),
}

interface NewAttachment {
  name: string
  contentType?: string | undefined
  /** By default a transaction of its own without a link. Then the bytes may go to the store itself, which does not report them. */
  within?: InsertWithin
}

type LaterLink = Partial<Pick<AttachmentsTable, 'link_to_run_id' | 'link_to_unit_id'>>

type InsertWithin = (insert: (transaction: Transaction, link: LaterLink) => Promise<void>) => Promise<void>

/** See docs/interface.md#attachments. */
export async function initializeAttachment(
  context: Context,
  principal: Principal,
  { name, contentType, within }: NewAttachment,
): Promise<{ id: string; upload_url: string }> {
  await checkStoreReachable(context)
  const publicId = randomUUID()
  const insertWithin: InsertWithin =
    within ?? ((insert) => context.database.write((transaction) => insert(transaction, {})))
  await insertWithin(({ query }, link) =>
    insertAttachment(query, {
      id: context.nextKey(),
      public_id: publicId,
      name,
      content_type: contentType ?? null,
      sha256: null,
      run_id: null,
      link_to_run_id: null,
      created_at_us: context.clock(),
      ...uploaderColumns(principal),
      unit_id: null,
      link_to_unit_id: null,
      ...link,
      received_at_us: null,
    }),
  )
  const address =
    within === undefined && context.config.directUploads
      ? await context.blobs.directUploads?.createAddress(publicId, context.config.uploadLifeSeconds)
      : undefined
  return { id: publicId, upload_url: address ?? createUploadUrl(context, publicId) }
}

// 502 when no address can be created (docs/interface.md#attachments).
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

/** Confirms that the bytes arrived; returns where they can be read. */
async function finalizeAttachment(context: Context, publicId: string): Promise<{ url: string }> {
  const attachment = await findAttachment(context.database.query, publicId)
  if (!attachment) throw attachmentNotFound(publicId)
  if (attachment.sha256 === null) throw new BytesMissingError([publicId])
  return { url: createDownloadUrl(context, attachment.public_id) }
}

/** Also of runs and units. All or none. @throws HttpError NOT_FOUND for an unknown one, CONFLICT for an image */
async function deleteAttachments(
  context: Context,
  publicIds: readonly string[],
): Promise<{ ids: string[]; id: string[] }> {
  const ids = [...new Set(publicIds.map((id) => id.toLowerCase()))]
  const orphans = await context.database.write(async (transaction) => {
    const { query } = transaction
    const found: AttachmentsTable[] = []
    for (const id of ids) found.push(await findDeletable(query, id))
    for (const attachment of found) {
      const { sha256, content_type: contentType } = attachment
      const before = { sha256, content_type: contentType }
      await context.recordChange(transaction, { ...describeAttachment(attachment), before })
    }
    const keys = found.map(({ id }) => id)
    return dropReferences(query, await deleteAttachmentRowsByKey(query, keys))
  })
  await removeBlobs(context, orphans)
  return { ids, id: ids }
}

export function describeAttachment({ public_id: id, name }: Pick<AttachmentsTable, 'public_id' | 'name'>) {
  return { kind: 'attachment', id, name } as const
}

async function findDeletable(query: Query, publicId: string): Promise<AttachmentsTable> {
  const attachment = await findAttachment(query, publicId)
  if (!attachment) throw attachmentNotFound(publicId)
  if (!(await isImage(query, attachment.id))) return attachment
  throw new HttpError(
    'CONFLICT',
    `Attachment ${publicId} is the image of something. Remove it there first (image_id: "").`,
  )
}

/**
 * All or none; repeating changes nothing (docs/interface.md#attachments). @throws HttpError NOT_FOUND for an unknown id or
 * an upload of others, BAD_REQUEST before the bytes came, CONFLICT for an attachment of another run
 */
export async function linkAttachments(
  principal: Principal,
  write: CheckedWrite<CheckedRun>,
  attachmentIds: readonly string[],
): Promise<{ id: string }> {
  return write(async ({ query }, run) => {
    await linkEach({ query, principal }, { run_id: run.id }, attachmentIds)
    return { id: run.public_id }
  })
}

/**
 * OpenHTF plug-ins upload a phase's files separately, even if the imported report has them: then the twin from the report,
 * `<phase>/<name>` with the same bytes, is deleted.
 */
async function syncUpload(
  principal: Principal,
  write: CheckedWrite<CheckedRun>,
  uploadId: string,
): Promise<{ id: string }> {
  return write(async ({ query }, run) => {
    await linkEach({ query, principal }, { run_id: run.id }, [uploadId])
    if (mayTakeAway(principal, run)) await dropReferences(query, await deleteTwins(query, run.id, uploadId))
    return { id: run.public_id }
  })
}

interface LinkScope {
  query: Query
  principal: Principal
}

export async function linkEach(
  scope: LinkScope,
  target: LinkTarget,
  attachmentIds: readonly string[],
): Promise<void> {
  const ids = new Map(attachmentIds.map((id) => [id.toLowerCase(), id]))
  const missing: string[] = []
  for (const id of ids.values()) if (!(await linkAttachment(scope, target, id))) missing.push(id)
  if (missing.length > 0) throw new BytesMissingError(missing)
}

type LinkTarget = { run_id: number } | { unit_id: number }

/** Never links to two owners, nor an image. False before the bytes came. */
async function linkAttachment(
  { query, principal }: LinkScope,
  target: LinkTarget,
  publicId: string,
): Promise<boolean> {
  const attachment = await findAttachment(query, publicId)
  if (!attachment) throw attachmentNotFound(publicId)
  const wanted = { run_id: null, unit_id: null, ...target }
  if (attachment.run_id === wanted.run_id && attachment.unit_id === wanted.unit_id) return true
  refuseForeignUpload(principal, attachment)
  if (attachment.run_id !== null || attachment.unit_id !== null) {
    throw new HttpError(
      'CONFLICT',
      `Attachment ${publicId} is linked to another ${attachment.run_id === null ? 'unit' : 'run'}. Upload the file again for this one.`,
    )
  }
  if (attachment.sha256 === null) return false
  // An image would be deleted with what it is linked to.
  if (await isImage(query, attachment.id)) {
    throw new HttpError(
      'CONFLICT',
      `Attachment ${publicId} is the image of something. Upload the file again to attach it.`,
    )
  }
  await updateAttachment(query, attachment.id, target)
  return true
}
