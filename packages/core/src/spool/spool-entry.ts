import { withoutQuery } from '../redact/without-query'
import type { SpooledAttachment, SpooledService, SpoolHead } from './spool-schemas'

export const SPOOL_VERSION = 1

export type { SpooledAttachment, SpooledService, SpoolEntry, SpoolHead } from './spool-schemas'

export function createHead(
  submissionId: string,
  { service, projectRoot }: { service: SpooledService; projectRoot: string },
): SpoolHead {
  return {
    version: SPOOL_VERSION,
    submissionId,
    createdAt: new Date().toISOString(),
    service: { ...service, url: normalizeServiceUrl(service.url) },
    projectRoot,
  }
}

/** An entry's text; the request is text already, for the service is sent the same. */
export function formatEntry(
  head: SpoolHead,
  requestJson: Uint8Array,
  attachments: readonly SpooledAttachment[],
): Buffer {
  const before = `${JSON.stringify(head).slice(0, -1)},"request":`
  const after = `,"attachments":${JSON.stringify(attachments)}}\n`
  return Buffer.concat([Buffer.from(before), requestJson, Buffer.from(after)])
}

/** The form in which addresses of services are kept and compared: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  return withoutQuery(url).replace(/\/+$/, '')
}
