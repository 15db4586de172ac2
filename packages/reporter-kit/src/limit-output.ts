import type { OutputEntry } from '@runledger/core'

/** Output kept of one attempt or file, in characters: its beginning and its end. */
export const MAX_OUTPUT_LENGTH = 2 * 1024 * 1024
const HALF = MAX_OUTPUT_LENGTH / 2

/** Longer entries are cut, so that many fit. */
const MAX_ENTRY_LENGTH = MAX_OUTPUT_LENGTH / 8

/** The end may grow by this much: trimming it for each entry would take quadratic time. */
const SLACK = HALF / 2

interface Account {
  /** Of the beginning; once that is full, of the end. */
  length: number
  /** Index of the first entry after the beginning, for the omission mark. */
  markAt?: number
  omittedLength: number
}

const ACCOUNTS = new WeakMap<OutputEntry[], Account>()

/** Adds output to a list that only this function changes. Replaces the middle of too much output by a line that says so. */
export function addOutput(entries: OutputEntry[], entry: OutputEntry): void {
  const account: Account = ACCOUNTS.get(entries) ?? { length: 0, omittedLength: 0 }
  ACCOUNTS.set(entries, account)
  const added = cutEntry(entry)
  entries.push(added)
  account.length += added.text.length
  if (account.markAt === undefined && account.length > HALF)
    Object.assign(account, { markAt: entries.length - 1, length: added.text.length })
  if (account.markAt !== undefined && account.length > HALF + SLACK) trimEnd(entries, account, account.markAt)
}

function trimEnd(entries: OutputEntry[], account: Account, markAt: number): void {
  let next = account.omittedLength > 0 ? markAt + 1 : markAt
  while (account.length > HALF) {
    const { length } = (entries[next] as OutputEntry).text
    account.length -= length
    account.omittedLength += length
    next += 1
  }
  const { stream, atMs } = entries[markAt] as OutputEntry
  entries.splice(markAt, next - markAt, { stream, atMs, text: describeOmission(account.omittedLength) })
}

/** In whole lines if there are any. */
function cutEntry(entry: OutputEntry): OutputEntry {
  const { text } = entry
  if (text.length <= MAX_ENTRY_LENGTH) return entry
  const half = MAX_ENTRY_LENGTH / 2
  const headEnd = text.lastIndexOf('\n', half) + 1 || half
  const tailStart = text.indexOf('\n', text.length - half) + 1 || text.length - half
  const mark = describeOmission(tailStart - headEnd)
  return { ...entry, text: `${text.slice(0, headEnd).trimEnd()}\n${mark}\n${text.slice(tailStart)}` }
}

function describeOmission(length: number): string {
  return `… ${length} characters of output left out here`
}
