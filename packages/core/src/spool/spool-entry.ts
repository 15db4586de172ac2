import { formatTimestampMs } from '@runledger/protocol'
import { formatList, formatWithText } from '../format-json'
import type { Pieces } from '../pieces'
import { withoutQuery } from '../util/without-query'
import type { SpooledService, SpoolHead } from './spool-schemas'
import { describeFacts, describeKept, type NamedKept } from './suite-part'

export const SPOOL_VERSION = 1

export type { SpooledAttachment, SpooledService, SpoolEntry, SpoolHead } from './spool-schemas'

export function createHead(
  submissionId: string,
  { service, projectRoot }: { service: SpooledService; projectRoot: string },
): SpoolHead {
  return {
    version: SPOOL_VERSION,
    submissionId,
    createdAt: formatTimestampMs(Date.now()),
    service: { ...service, url: normalizeServiceUrl(service.url) },
    projectRoot,
  }
}

/** An entry's text, its end included; the request is text already, for the service is sent the same. */
export function formatEntry(
  head: SpoolHead,
  requestJson: Uint8Array,
  attachments: readonly NamedKept[],
): Pieces {
  const before = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"request":`)
  const between = Buffer.from(',"attachments":')
  const list = formatList(attachments.map(formatKept))
  return [before, requestJson, between, ...list, Buffer.from('}\n')]
}

/** What `describeKept` has. */
function formatKept(attachment: NamedKept): Pieces {
  const { kept } = attachment
  if ('path' in kept) return [Buffer.from(JSON.stringify(describeKept(attachment)))]
  return formatWithText({ ...describeFacts(attachment), inline: true }, kept.quoted)
}

let normalized = { url: '', form: '' }

/** The form in which addresses of services are kept and compared: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  // Mostly there is one service.
  if (normalized.url !== url) normalized = { url, form: withoutQuery(url).replace(/\/+$/, '') }
  return normalized.form
}
