import type { LimitFunction } from 'p-limit'
import { createBoundedTransport } from '../transport/bounded-transport'
import { createTransport } from '../transport/create-transport'
import { sendAttachment } from './deliver-attachments'
import type { DeliverableAttachment } from './deliverable-run'
import type { EarlyUploadSettings } from './early-upload'
import { ServiceClient } from './service-client'

/** A connection for attachments that are sent while tests run. */
export interface EarlyConnection {
  /** Answers the attachment's id; `onAddress` is called when it has one. @throws ApiError, AttachmentError, NetworkError */
  send(attachment: DeliverableAttachment, onAddress: () => void): Promise<string>
  close(): Promise<void>
}

/** At most as many requests at once as the limit says; the signal cuts them off. @throws ConfigError */
export async function connectEarly(
  { options, url, apiKey, env }: EarlyUploadSettings,
  { limit, signal }: { limit: LimitFunction; signal: AbortSignal },
): Promise<EarlyConnection> {
  const { concurrency, requestTimeoutMs, deadlineMs } = options
  const inner = await createTransport({
    tlsFiles: options,
    connections: concurrency,
    env,
    isBackground: true,
  })
  const transport = createBoundedTransport(inner, limit)
  const limits = { requestTimeoutMs, transferTimeoutMs: deadlineMs, signal, transferSignal: signal }
  const client = new ServiceClient(transport, { ...options, url, apiKey }, limits)
  return {
    send: (attachment, onAddress) => sendAttachment(client, attachment, onAddress),
    close: () => transport.close(),
  }
}
