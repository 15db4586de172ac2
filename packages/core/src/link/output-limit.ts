import type { OutputEntry } from '../model/suite'

/** Most console output that is kept of one attempt or file, in characters: its beginning and its end. */
export const MAX_OUTPUT_LENGTH = 2 * 1024 * 1024
const HALF = MAX_OUTPUT_LENGTH / 2

/** An entry that is longer is cut, so that many fit. */
const MAX_ENTRY_LENGTH = MAX_OUTPUT_LENGTH / 8

/** How much more than its half the end may have before it is trimmed: trimming it for each entry would take too long. */
const SLACK = HALF / 2

interface Account {
  beginningLength: number
  endLength: number
  /** Where the mark is, once the beginning is full. */
  markAt: number | undefined
  leftOut: number
}

const ACCOUNTS = new WeakMap<OutputEntry[], Account>()

/**
 * Adds console output to what there is, which is told only by this function from then on. Of a test that writes without
 * end the middle is left out, and a line says how much.
 */
export function addOutput(entries: OutputEntry[], entry: OutputEntry): void {
  const account = ACCOUNTS.get(entries) ?? { beginningLength: 0, endLength: 0, markAt: undefined, leftOut: 0 }
  ACCOUNTS.set(entries, account)
  const short = cutEntry(entry)
  if (account.markAt === undefined && account.beginningLength + short.text.length <= HALF) {
    account.beginningLength += short.text.length
    entries.push(short)
    return
  }
  if (account.markAt === undefined) account.markAt = entries.length
  account.endLength += short.text.length
  entries.push(short)
  if (account.endLength > HALF + SLACK) trim(entries, account, account.markAt)
}

function trim(entries: OutputEntry[], account: Account, markAt: number): void {
  const isMarked = account.leftOut > 0
  const from = isMarked ? markAt + 1 : markAt
  let to = from
  while (account.endLength > HALF) {
    const { length } = (entries[to] as OutputEntry).text
    account.endLength -= length
    account.leftOut += length
    to += 1
  }
  const { stream, atMs } = entries[markAt] as OutputEntry
  entries.splice(markAt, to - markAt, { stream, atMs, text: describeLeftOut(account.leftOut) })
}

/** The beginning and the end of an entry, in whole lines where it has any. */
function cutEntry(entry: OutputEntry): OutputEntry {
  const { text } = entry
  if (text.length <= MAX_ENTRY_LENGTH) return entry
  const half = MAX_ENTRY_LENGTH / 2
  const headEnd = text.lastIndexOf('\n', half) + 1 || half
  const tailStart = text.indexOf('\n', text.length - half) + 1 || text.length - half
  const mark = describeLeftOut(tailStart - headEnd)
  return { ...entry, text: `${text.slice(0, headEnd).trimEnd()}\n${mark}\n${text.slice(tailStart)}` }
}

function describeLeftOut(length: number): string {
  return `… ${length} characters of output left out here`
}
