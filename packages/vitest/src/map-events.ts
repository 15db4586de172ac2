import path from 'node:path'
import type { Attachment, FileEvent, OutputEntry, TestApiEvent } from '@runledger/core'
import { TEST_API_META, type MetaEvent } from './find-task'
import type { TestCase, TestModule } from './framework-types'

/** Something that a test recorded, and the attempt that it belongs to. It has one of the last three fields. */
export interface RecordedItem {
  /** Index of the attempt, from 0; undefined when Vitest does not tell. */
  attemptIndex?: number | undefined
  /** Index among the failed attempts, -1 for the last: each failed attempt has one failure screenshot. */
  failureIndex?: number | undefined
  attachment?: Attachment
  output?: OutputEntry
  event?: TestApiEvent
}

/** Maps the events of a test, or of a file outside of its tests. Attached files are in the folder. */
export function mapEvents(entity: TestCase | TestModule, folder: string | undefined): RecordedItem[] {
  const entries = (entity.meta() as { [TEST_API_META]?: unknown })[TEST_API_META]
  if (!Array.isArray(entries)) return []
  return (entries as MetaEvent[]).map(({ attemptIndex, ...event }) => {
    if (event.kind !== 'file') return { attemptIndex, event: event as TestApiEvent }
    return { attemptIndex, ...mapFile(event as FileEvent, folder) }
  })
}

function mapFile({ name, contentType, file, base64 }: FileEvent, folder: string | undefined): RecordedItem {
  if (base64 !== undefined) return { attachment: { name, contentType, bytes: Buffer.from(base64, 'base64') } }
  if (file !== undefined && folder !== undefined)
    return { attachment: { name, contentType, path: path.join(folder, path.basename(file)) } }
  // Merged blobs of another execution, whose channel folder was removed.
  return { output: { stream: 'stderr', text: `not attached: ${name}: its bytes stayed where the test ran` } }
}
