import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { CorruptLogError, SpoolError } from '../model/errors'
import type { ProgressEvent } from '../model/run'
import { parseJson } from '../util/text'
import {
  type ExecutionEndLine,
  type ExecutionLine,
  type FileLine,
  type LoggedAttachment,
  LOG_VERSION,
  type LogLine,
  parseLogLine,
  type RunLine,
  type StoredFile,
  type SuiteLine,
} from './log-lines'

export const LOG_FILE = 'log.jsonl'

export interface LoggedRun {
  submissionId: string
  finishedAt: string
  /** Undefined for a shared run of an execution that was killed. */
  line: RunLine | undefined
  /** In the order of their places. */
  suites: SuiteLine[]
  events: ProgressEvent[]
}

export interface LoggedExecution {
  head: ExecutionLine
  waiting: LoggedRun[]
  /** Copies of files that lines name by path, by `keyOfUncopied`. */
  copies: Map<string, StoredFile>
  /** Undefined if the execution did not end, or no service knows it. */
  end: ExecutionEndLine | undefined
  corruptLines: number
  /** Length of the whole lines: a killed process may leave a partial one. */
  lengthBytes: number
}

/** A copy stands for a file at one time. */
export function keyOfUncopied({ path: file, changedAtMs }: Pick<FileLine, 'path' | 'changedAtMs'>): string {
  return JSON.stringify([file, changedAtMs])
}

/** Bytes of an attachment in `files/`, if they are there. */
export function findStored(
  attachment: LoggedAttachment,
  copies: LoggedExecution['copies'],
): StoredFile | undefined {
  const found = 'path' in attachment ? copies.get(keyOfUncopied(attachment)) : attachment
  return found && 'file' in found ? found : undefined
}

/** Needs no lease. @throws CorruptLogError if it is not a log; SpoolError if another version wrote it */
export async function readLog(dir: string): Promise<LoggedExecution> {
  const bytes = await readFile(path.join(dir, LOG_FILE))
  const lengthBytes = bytes.lastIndexOf(NEW_LINE) + 1
  const [first = '', ...rest] = splitLines(bytes.subarray(0, lengthBytes))
  const head = parseLogLine(first)
  if (head?.kind !== 'execution') throw explainHead(first)
  const lines = rest.map(parseLogLine)
  const known = lines.filter((line) => line !== undefined)
  return { head, ...replay(known), corruptLines: lines.length - known.length, lengthBytes }
}

function explainHead(first: string): Error {
  const head = parseJson(first) as { kind?: unknown; version?: unknown } | undefined
  return head?.kind === 'execution' && head.version !== LOG_VERSION
    ? new SpoolError('another version of Runledger wrote its log.jsonl')
    : new CorruptLogError('its log.jsonl is cut, or of another program')
}

const NEW_LINE = 10

/** Line by line: the whole may exceed the longest string. */
function* splitLines(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.byteLength;) {
    const end = bytes.indexOf(NEW_LINE, start)
    yield bytes.toString('utf8', start, end)
    start = end + 1
  }
}

function replay(lines: readonly LogLine[]): Pick<LoggedExecution, 'waiting' | 'copies' | 'end'> {
  const runs = new Map<string, LoggedRun>()
  const copies = new Map<string, StoredFile>()
  const open = ({ run: submissionId, finishedAt }: RunLine | SuiteLine): LoggedRun => {
    const known = runs.get(submissionId) ?? {
      submissionId,
      finishedAt,
      line: undefined,
      suites: [],
      events: [],
    }
    runs.set(submissionId, known)
    return Object.assign(known, { finishedAt })
  }
  for (const line of lines) {
    // An earlier state of the run is no longer complete.
    if (line.kind === 'run') open(line).line = line
    else if (line.kind === 'suite') Object.assign(open(line), { line: undefined }).suites[line.index] = line
    else if (line.kind === 'event') runs.get(line.run)?.events.push(line.event)
    else if (line.kind === 'done') runs.delete(line.run)
    else if (line.kind === 'file') {
      const { file, sizeBytes, sha256 } = line
      copies.set(keyOfUncopied(line), { file, sizeBytes, sha256 })
    }
  }
  return { waiting: [...runs.values()], copies, end: lines.findLast((line) => line.kind === 'end') }
}
