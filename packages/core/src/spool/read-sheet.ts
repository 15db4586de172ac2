import type { FileHandle } from 'node:fs/promises'
import type { ProgressEvent } from './progress'

/** A run that waits in a sheet. */
export interface SheetRun {
  submissionId: string
  /** Where its line lies in the file, in bytes: as `entry.json` has it. */
  line: { from: number; sizeBytes: number }
  events: ProgressEvent[]
}

const READ_BYTES = 256 * 1024
const NEW_LINE = 10

/** How the line of a run begins, whatever program or version wrote it. */
const RUN_LINE = /^\{"version":\d+,"submissionId":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/

/**
 * The runs that wait. A line that is cut or strange counts for nothing, unless it is all that there is of a run: then it
 * is answered as it is, for whoever reads it as an entry to set it aside.
 */
export async function readSheet(handle: FileHandle): Promise<SheetRun[]> {
  const { parseEvents, parseSheetLine } = await import('./spool-schemas')
  const runs = new Map<string, SheetRun>()
  for await (const { text, ...line } of readLines(handle)) {
    const found = parseSheetLine(text)
    const strangeId = found ? undefined : RUN_LINE.exec(text)?.[1]
    if (strangeId !== undefined && !runs.has(strangeId))
      runs.set(strangeId, { submissionId: strangeId, line, events: [] })
    if (found === undefined) continue
    const { submissionId } = found
    const run = runs.get(submissionId)
    if (found.kind === 'run') runs.set(submissionId, { submissionId, line, events: run?.events ?? [] })
    else if (found.kind === 'done') runs.delete(submissionId)
    else run?.events.push(...parseEvents(text))
  }
  return [...runs.values()]
}

/** The bytes of a run's line. Errors are the system's. */
export async function readRunLine(handle: FileHandle, { line }: SheetRun): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(line.sizeBytes), 0, line.sizeBytes, line.from)
  return buffer.subarray(0, bytesRead)
}

/** Line by line, since a sheet of a large execution may be longer than a string can be. */
async function* readLines(handle: FileHandle): AsyncGenerator<SheetRun['line'] & { text: string }> {
  let from = 0
  let pieces: Buffer[] = []
  const take = (last: Buffer): SheetRun['line'] & { text: string } => {
    const bytes = Buffer.concat([...pieces, last])
    pieces = []
    const line = { from, sizeBytes: bytes.byteLength, text: bytes.toString('utf8') }
    from += bytes.byteLength + 1
    return line
  }
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
    if (bytesRead === 0) break
    position += bytesRead
    let rest = buffer.subarray(0, bytesRead)
    for (let end = rest.indexOf(NEW_LINE); end >= 0; end = rest.indexOf(NEW_LINE)) {
      yield take(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
    }
    pieces.push(rest)
  }
  yield take(Buffer.alloc(0))
}
