import type { Handlers } from '../http/handler'
import { finalizeAttachment } from './finalize-attachment'
import { initializeAttachment } from './initialize-attachment'
import { linkAttachments } from './link-attachments'

export const ATTACHMENT_HANDLERS: Handlers<
  'initializeAttachment' | 'finalizeAttachment' | 'initializeV1Upload' | 'syncV1Upload'
> = {
  initializeAttachment: ({ context, principal, body }) =>
    initializeAttachment(context, principal, { name: body.name }),
  finalizeAttachment: ({ context, params }) => finalizeAttachment(context, params.id),
  initializeV1Upload: async ({ context, principal, body }) => {
    const { id, upload_url: uploadUrl } = await initializeAttachment(context, principal, {
      name: body.name,
      contentType: body.mimeType,
    })
    return { id, uploadUrl }
  },
  syncV1Upload: ({ context, principal, body }) =>
    linkAttachments(context, principal, { runId: body.run_id, attachmentIds: [body.upload_id] }),
}
