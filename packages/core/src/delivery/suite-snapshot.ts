import type { Attachment, Suite } from '../model/suite'
import type { RunContext } from '../record/map-run'
import { isPassed, type RunSource } from '../record/run-source'
import type { SuiteLine } from '../spool/log-lines'
import type { KeptAttachment } from './attachment-store'

/** All that is needed to join a suite with others of its run, in any process. */
export interface SuiteSnapshot {
  file: string
  passed: boolean
  source: Omit<RunSource, 'suites'>
  context: RunContext
  /** The suite, with a `StoredAttachment` for each attachment. */
  suite: unknown
}

/** Without `kept` it is not sent. */
interface StoredAttachment {
  name: string
  contentType?: string | undefined
  kept?: KeptAttachment | undefined
}

export function takeSnapshot(
  suite: Suite,
  source: RunSource,
  { context, kept }: { context: RunContext; kept: ReadonlyMap<Attachment, KeptAttachment> },
): SuiteSnapshot {
  const { project, file, namesFiles } = source
  return {
    file,
    passed: isPassed({ suites: [suite] }),
    source: { project, file, namesFiles },
    context,
    suite: replaceAttachments(suite, (attachment): StoredAttachment => {
      const { name, contentType } = attachment
      return { name, contentType, kept: kept.get(attachment) }
    }),
  }
}

/** A shared run of a killed execution. Throws if another version wrote another shape. */
export function restoreRun(lines: readonly SuiteLine[]): Pick<SuiteSnapshot, 'context'> & {
  source: RunSource
  kept: Map<Attachment, KeptAttachment>
} {
  const snapshots = lines.map(({ snapshot }) => snapshot as unknown as SuiteSnapshot)
  const kept = new Map<Attachment, KeptAttachment>()
  const restore = ({ name, contentType, kept: place }: StoredAttachment): Attachment => {
    const attachment = { name, contentType, path: '' }
    if (place === undefined) return attachment
    if ('path' in place) attachment.path = place.path
    if ('file' in place) attachment.path = place.file
    kept.set(attachment, place)
    return attachment
  }
  const suites = snapshots.map(({ suite }) => replaceAttachments(suite as Suite, restore as never) as Suite)
  const { source, context } = snapshots.at(-1) as SuiteSnapshot
  return { source: { ...source, suites }, context, kept }
}

function replaceAttachments(suite: Suite, replace: (attachment: Attachment) => unknown): object {
  const replaceIn = <Holder extends { attachments: Attachment[] }>(holder: Holder): object => ({
    ...holder,
    attachments: holder.attachments.map(replace),
  })
  const tests = suite.tests.map((test) => ({ ...test, attempts: test.attempts.map(replaceIn) }))
  return { ...replaceIn(suite), tests }
}
