import type { PlannedAttachment } from '../attachment/plan-attachments'
import { AttachmentError, describeError } from '../errors'
import type { ServiceClient } from './service-client'

/** Initialises and PUTs every attachment; one that fails is named and spares the others. Never throws. */
export async function deliverAttachments(
  client: ServiceClient,
  attachments: readonly PlannedAttachment[],
): Promise<{ ids: string[]; problems: string[] }> {
  const results = await Promise.allSettled(
    attachments.map((attachment) => deliverAttachment(client, attachment)),
  )
  return {
    ids: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    problems: results.flatMap((result) =>
      result.status === 'rejected' ? [describeError(result.reason)] : [],
    ),
  }
}

async function deliverAttachment(
  client: ServiceClient,
  { name, source, sizeBytes, contentType }: PlannedAttachment,
): Promise<string> {
  try {
    const { id, upload_url } = await client.initializeAttachment(name)
    const body = 'bytes' in source ? source.bytes : { path: source.path, sizeBytes }
    await client.putAttachment(upload_url, body, contentType)
    return id
  } catch (error) {
    throw new AttachmentError(`attachment "${name}": ${describeError(error)}`, { cause: error })
  }
}
