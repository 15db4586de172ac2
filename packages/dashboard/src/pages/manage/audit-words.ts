import type { AuditSubject } from '@runledger/protocol'

export const SUBJECT_WORDS: Record<AuditSubject, { one: string; many: string }> = {
  run: { one: 'run', many: 'Runs' },
  unit: { one: 'unit', many: 'Units' },
  attachment: { one: 'attachment', many: 'Attachments' },
  part: { one: 'part', many: 'Parts' },
  revision: { one: 'revision', many: 'Revisions' },
  batch: { one: 'batch', many: 'Batches' },
  test: { one: 'test', many: 'Names of tests' },
  quarantine: { one: 'quarantine of', many: 'Quarantine' },
  procedure: { one: 'project', many: 'Projects' },
  version: { one: 'version', many: 'Versions' },
  station: { one: 'station', many: 'Stations' },
  key: { one: 'key', many: 'Keys' },
  user: { one: 'person', many: 'People' },
  session: { one: 'session of', many: 'Sessions' },
  webhook: { one: 'webhook', many: 'Webhooks' },
  settings: { one: '', many: 'Settings' },
}

/** `deleteV1Run` is `Delete v1 run`. */
export function describeOperation(operation: string): string {
  const words = operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
