import { CorruptLogError } from '../model/errors'
import type { Attachment, Suite } from '../model/suite'
import type { RunContext } from '../record/map-run'
import { isPassed, type RunSource } from '../record/run-source'
import type { SuiteLine } from '../spool/log-lines'
import type { KeptAttachment } from './attachment-store'

/** Everything that is needed to join one suite with others of its run, in any process. Plain data. */
export interface SuiteSnapshot {
  /** The run's, for whoever lists what waits. */
  file: string
  passed: boolean
  source: Omit<RunSource, 'suites'>
  context: RunContext
  /** The suite; in the place of each attachment a `StoredAttachment`. */
  suite: unknown
}

/** An attachment in a snapshot; without `kept` it is not to be sent. */
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

/** A run of several suites as an execution that was killed left it. @throws CorruptLogError */
export function restoreRun(lines: readonly SuiteLine[]): Pick<SuiteSnapshot, 'context'> & {
  source: RunSource
  kept: Map<Attachment, KeptAttachment>
} {
  const snapshots = lines.map(({ snapshot }) => snapshot as unknown as SuiteSnapshot)
  const last = snapshots.at(-1)
  try {
    const kept = new Map<Attachment, KeptAttachment>()
    const restore = (stored: StoredAttachment): Attachment => {
      const attachment = { name: stored.name, contentType: stored.contentType, path: '' }
      if (stored.kept) {
        if ('path' in stored.kept) attachment.path = stored.kept.path
        if ('file' in stored.kept) attachment.path = stored.kept.file
        kept.set(attachment, stored.kept)
      }
      return attachment
    }
    const suites = snapshots.map(
      ({ suite }) => replaceAttachments(suite as Suite, restore as never) as unknown as Suite,
    )
    const { source, context } = last as SuiteSnapshot
    return { source: { ...source, suites }, context, kept }
  } catch (error) {
    throw new CorruptLogError('the suites of a run cannot be read', { cause: error })
  }
}

function replaceAttachments(suite: Suite, replace: (attachment: Attachment) => unknown): object {
  const replaceIn = <Holder extends { attachments: Attachment[] }>(holder: Holder): object => ({
    ...holder,
    attachments: holder.attachments.map(replace),
  })
  const tests = suite.tests.map((test) => ({ ...test, attempts: test.attempts.map(replaceIn) }))
  return { ...replaceIn(suite), tests }
}
