import { type ImportedRun, isOpenHtf, ReadError, readOpenHtf, toStandardJson } from '@runledger/readers'
import { decodeText } from './decode-text'
import type { Format } from './formats'
import { ResultFileError, type Results } from './results'

/** A report of OpenHTF: its run, and the bytes that the service reads it from. */
export interface OpenHtfReport {
  imported: ImportedRun
  bytes: Buffer
  /** SHA-256 of the bytes. */
  hash: string
}

/** Undefined for a file that is none, unless the format was given. @throws ResultFileError */
export async function readOpenHtfFile(
  bytes: Buffer,
  given: Format | undefined,
): Promise<ImportedRun | undefined> {
  const isGiven = given === 'openhtf'
  if (!isGiven && (given !== undefined || !isReport(bytes))) return undefined
  try {
    const json = await parse(bytes)
    return isGiven || isOpenHtf(json) ? await readOpenHtf(json) : undefined
  } catch (error) {
    // Left to the reader of another format, whose error says more.
    if (!isGiven && !(error instanceof ReadError)) return undefined
    throw new ResultFileError(error instanceof Error ? error.message : String(error))
  }
}

async function parse(bytes: Buffer): Promise<unknown> {
  return JSON.parse(decodeText(await toStandardJson(bytes)))
}

function isReport(bytes: Buffer): boolean {
  const text = bytes.toString('utf8')
  return ['"dut_id"', '"start_time_millis"', '"phases"'].every((name) => text.includes(name))
}

const OUTCOMES = { PASS: 'passed', FAIL: 'failed', ERROR: 'failed', SKIP: 'skipped' } as const

/** The report as the table of imported runs shows it: its unit and its phases. */
export function toResults({ run }: ImportedRun, hash: string): Results {
  const startedAtMs = Date.parse(run.started_at)
  const tests = (run.phases ?? []).map(({ name, outcome }) => ({
    titles: [name],
    outcome: OUTCOMES[outcome],
    flaky: false,
    startedAtMs,
    durationMs: 0,
    attempts: [],
  }))
  return {
    framework: 'openhtf',
    suites: [
      {
        project: '',
        file: run.serial_number,
        startedAtMs,
        durationMs: Date.parse(run.ended_at) - startedAtMs,
        outcome: run.outcome === 'PASS' ? 'passed' : 'failed',
        tests,
        problems: [],
        output: [],
        attachments: [],
        events: [],
        submissionId: hash,
      },
    ],
  }
}
