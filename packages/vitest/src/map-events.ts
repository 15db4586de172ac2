import path from 'node:path'
import { inspect } from 'node:util'
import type { Attachment, FileEvent, OutputEntry, TestApiEvent } from '@runledger/core'
import { readEvent, readFields, readLength } from '@runledger/reporter-kit'
import { TEST_API_META } from './find-task'
import type { TestCase, TestModule } from './framework-types'
import { readMeta } from './read-entity'

/** Something that a test recorded: one of the last three fields. */
export interface RecordedItem {
  /** From 0; undefined if Vitest does not report it. */
  attemptIndex?: number | undefined
  /** Among the failed attempts, -1 for the last: each has one failure screenshot. */
  failureIndex?: number | undefined
  attachment?: Attachment
  output?: OutputEntry
  event?: TestApiEvent
}

/** Attached files are in the folder. */
export function mapEvents(entity: TestCase | TestModule, folder: string | undefined): RecordedItem[] {
  const entries = readMeta(entity)[TEST_API_META]
  if (!Array.isArray(entries)) return []
  return entries.map((entry): RecordedItem => {
    const { attemptIndex: index, ...fields } = readFields(entry)
    const attemptIndex = readLength(index)
    const event = readEvent(fields)
    if (event === undefined) return { output: describeUnreadable(entry) }
    return event.kind === 'file' ? { attemptIndex, ...mapFile(event, folder) } : { attemptIndex, event }
  })
}

function describeUnreadable(entry: unknown): OutputEntry {
  return {
    stream: 'stderr',
    text: `not on record: meta.${TEST_API_META} has what no function of Runledger puts there: ${inspect(entry)}`,
  }
}

function mapFile({ name, contentType, file, base64 }: FileEvent, folder: string | undefined): RecordedItem {
  if (base64 !== undefined) return { attachment: { name, contentType, bytes: Buffer.from(base64, 'base64') } }
  if (file !== undefined && folder !== undefined)
    return { attachment: { name, contentType, path: path.join(folder, path.basename(file)) } }
  // Merged blobs of another execution, whose channel folder was removed.
  return { output: { stream: 'stderr', text: `not attached: ${name}: its bytes stayed where the test ran` } }
}
