import { foldIdentifier, type UpdateRevisionRequest } from '@runledger/protocol'
import { findReceivedAttachment } from '../attachments/attachment-store'
import { unknownAttachment } from '../attachments/receive-attachment'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { findRevisionOfPart, type RevisionPath } from './find-revision'
import { revisionExists } from './part-errors'
import { findRevisionRecord, updateRevisionRecord } from './revision-record-store'

/** Changes what is sent of a revision; 409 for a number that the part has already, 404 for an image never received. */
export async function updateRevision(
  { database }: Context,
  path: RevisionPath,
  sent: UpdateRevisionRequest,
): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const { part, revision } = await findRevisionOfPart(query, path)
    const number = sent.number ?? revision.number
    const holder = await findRevisionRecord(query, part.id, number)
    if (holder && holder.id !== revision.id) throw revisionExists(part.number, number)
    await updateRevisionRecord(query, revision.id, {
      number,
      number_folded: foldIdentifier(number),
      image_id: sent.image_id === undefined ? revision.image_id : await findImage(query, sent.image_id),
    })
    return { id: revision.public_id }
  })
}

async function findImage(query: Query, attachmentId: string): Promise<string> {
  const image = await findReceivedAttachment(query, attachmentId)
  if (!image) throw unknownAttachment(attachmentId)
  return image.public_id
}
