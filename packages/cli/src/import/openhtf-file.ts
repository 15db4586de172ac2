import {
  decodeText,
  type ImportedRun,
  isOpenHtf,
  ReadError,
  readOpenHtf,
  toStandardJson,
} from '@runledger/readers'
import type { Format } from './formats'
import { ResultFileError } from './results'

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
