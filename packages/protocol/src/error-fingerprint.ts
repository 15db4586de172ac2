import { ERROR_BYTES } from './resources/test-fact-limits'
import type { TestErrorInput } from './resources/test-facts'
import { cleanErrorText, toPlainError } from './text'

/**
 * What equal errors share: the message without its changing parts, and the first place in the stack that belongs to the project,
 * without its line, which moves with every change above it. Without such a place, the file of the error's location is used.
 *
 * The fingerprint of an error is SHA-256 of this text, as lower-case hexadecimal digits. Give it the error as a run has it, masked:
 * so a reporter and the service find the same. Stored errors keep their fingerprint.
 */
export function fingerprintText({
  message,
  stack = '',
  location,
}: Pick<TestErrorInput, 'message' | 'stack' | 'location'>): string {
  // More of the message than is stored, because the stored length depends on changing parts.
  const plain = toPlainError(message.slice(0, 2 * ERROR_BYTES.message))
  const frames = skipMessage(cleanErrorText(stack, ERROR_BYTES.stack), plain)
  const place = findProjectFrame(frames) ?? (location ? shortenFile(location.file) : '')
  return `${dropChanging(plain).slice(0, MAX_COMPARED)}\0${place}`
}

// Characters of the cleaned message: the lengths of its changing parts should make no difference.
const MAX_COMPARED = 2_000

/** What follows the message, which may have lines like frames. */
function skipMessage(stack: string, message: string): string {
  const at = stack.indexOf(message)
  return at < 0 || stack.slice(0, at).includes('\n') ? stack : stack.slice(at + message.length)
}

// In this order. Each pattern takes linear time: messages come from anyone.
const CHANGING: readonly [RegExp, string][] = [
  [/\b[a-z][\w+.-]{0,20}:\/\/[^\s"'`<>()]+/gi, '<url>'],
  [/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, '<value>'],
  [/(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi, '<n>'],
  // Addresses of IPv4, with a port too, and of IPv6.
  [/(?<![0-9a-z.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![0-9a-z])/gi, '<n>'],
  [
    /(?<![0-9a-z:])(?=[0-9a-f:]{0,39}::|(?:[0-9a-f]{1,4}:){7})(?=[0-9a-f:]{0,39}\d)[0-9a-f:]{3,45}(?![0-9a-z:])/gi,
    '<n>',
  ],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} \d\d|\d\d [A-Z][a-z]{2}) \d{4} \d\d:\d\d:\d\d GMT(?:[+-]\d{4}(?: \([^()\n]{1,60}\))?)?/g,
    '<time>',
  ],
  [
    /(?<![0-9a-z])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z\b|[+-]\d\d:?\d\d))?)?/gi,
    '<time>',
  ],
  [/(?<![0-9a-z])\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?!\d)(?: ?[AP]M\b)?/gi, '<time>'],
  // In absolute paths, folders may have blanks before capitals, digits and parentheses: `/home/Jane Doe (1)/`.
  [
    /(?<![\p{L}\p{N}_@.~+\-\\/<])(?:(?:[a-zA-Z]:)?[\\/](?:[\p{L}\p{N}_@.~+-]+(?: [\p{Lu}\p{N}(][\p{L}\p{N}_@.~+()-]*){0,3}[\\/])+|(?:[\p{L}\p{N}_@.~+-]+[\\/])+)[\p{L}\p{N}_@.~+-]*(?::\d+){0,2}/gu,
    '<path>',
  ],
  [/(?<![\p{L}\p{N}_/])\/[\p{L}\p{N}_@.~+-]+/gu, '<path>'],
  [
    /(?<![0-9a-z])(?:0x[0-9a-f]+|(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,}|(?<=#)(?:[0-9a-f]{6}|[0-9a-f]{8}))(?![0-9a-z])/gi,
    '<n>',
  ],
  [/(?:(?<!\w)[-+])?\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?/gi, '<n>'],
  [/\s+/g, ' '],
]

/** A message without numbers, hexadecimal digits, UUIDs, times, quoted values, paths and addresses. */
export function dropChanging(message: string): string {
  return CHANGING.reduce((text, [changing, name]) => text.replace(changing, name), message).trim()
}

/** File and function of the first place in a stack that is neither Node's nor a dependency's; undefined for none. */
export function findProjectFrame(stack: string): string | undefined {
  for (const line of stack.split('\n')) {
    const frame = parseFrame(line.trim())
    if (frame && !isForeign(frame.file))
      return `${shortenFile(frame.file)} ${nameFunction(frame.name)}`.trim()
  }
  return undefined
}

interface Frame {
  name: string
  file: string
}

const POSITION = /(?::\d{1,9}){1,2}$/
const MAX_LINE = 1_000

/** `at name (file:1:2)` of V8, `name@file:1:2` of Firefox and WebKit, `❯ name file:1:2` of Vitest. */
function parseFrame(line: string): Frame | undefined {
  if (line.length > MAX_LINE) return undefined
  const [, sign, text] = /^(at|❯) +(?:async +)?(\S.*)$/s.exec(line) ?? []
  if (text === undefined) return splitFrame(line, line.search(/@(?:\/|[a-z][\w+.-]{0,20}:\/\/)/i), 1)
  if (text.endsWith(')')) return splitFrame(text.slice(0, -1), text.indexOf(' ('), 2)
  return splitFrame(` ${text}`, sign === 'at' ? 0 : text.lastIndexOf(' ') + 1, 1)
}

function splitFrame(text: string, at: number, separatorLength: number): Frame | undefined {
  const place = text.slice(at + separatorLength)
  if (at < 0 || !POSITION.test(place)) return undefined
  return { name: text.slice(0, at), file: place.replace(POSITION, '') }
}

function isForeign(file: string): boolean {
  return /^(?:node:|internal\/|native$|<|eval at )|(?:^|[\\/])node_modules[\\/]/.test(file)
}

/** The name of the file, for a path outside of the project. */
function shortenFile(file: string): string {
  const path = file
    .replaceAll('\\', '/')
    .replace(/\?.*$/s, '')
    .replace(/^file:\/\//, '')
    .replace(/^[\w-]{1,20}:\/\/[^/]*\/(?!@fs\/)/, '')
  const isAbsolute = path.startsWith('/') || /^[a-z]:\//i.test(path) || path.includes('://')
  return isAbsolute ? path.slice(path.lastIndexOf('/') + 1) : path.replace(/^(?:\.\/)+/, '')
}

function nameFunction(name: string): string {
  const plain = name
    .trim()
    .replace(/^(?:async |new )+/, '')
    .replace(/ \[as .*\]$/, '')
  return plain.endsWith('<anonymous>') ? '' : plain
}
