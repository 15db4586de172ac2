import { withoutQuery } from '../redact'
import type { SpooledService, SpoolHead } from './spool-schemas'

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

/** The form in which addresses of services are kept and compared: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  return withoutQuery(url).replace(/\/+$/, '')
}
