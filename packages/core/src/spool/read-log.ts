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

/** A run that waits in a log: whole, or as the suites that are to be joined. */
export interface LoggedRun {
  submissionId: string
  finishedAt: string
  /** Undefined for a run that several suites share, of an execution that was killed before its end. */
  line: RunLine | undefined
  /** In the order of their places. */
  suites: SuiteLine[]
  events: ProgressEvent[]
}

/** What an execution's log says. */
export interface LoggedExecution {
  head: ExecutionLine
  /** The runs that wait, in the order in which they were first written. */
  waiting: LoggedRun[]
  /** Copies of files that lines name by their path, by `keyOfUncopied`. */
  copies: Map<string, StoredFile>
  /** Undefined for an execution that did not end, or that no service knows. */
  end: ExecutionEndLine | undefined
  /** Lines that cannot be read. */
  corruptLines: number
  /** Length of the whole lines: half a line at the end is what a killed process left. */
  lengthBytes: number
}

/** A copy stands for a file as it was at one time. */
export function keyOfUncopied({ path: file, changedAtMs }: Pick<FileLine, 'path' | 'changedAtMs'>): string {
  return JSON.stringify([file, changedAtMs])
}

/** The bytes of an attachment in the execution's `files/`, if they are there. */
export function findStored(
  attachment: LoggedAttachment,
  copies: LoggedExecution['copies'],
): StoredFile | undefined {
  const found = 'path' in attachment ? copies.get(keyOfUncopied(attachment)) : attachment
  return found && 'file' in found ? found : undefined
}

/**
 * Reads a log whole. Reading needs no lease. @throws CorruptLogError when it is not a log of ours; SpoolError when another
 * version wrote it; other errors are the system's
 */
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

/** One string for each line: all of it may be longer than a string can be. */
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
    // What was written of the run before a suite is no longer all of it.
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
