import { constants, gunzipSync } from 'node:zlib'
import type { LineFormat } from './read-line-file'

const LOOKED_AT = 64 * 1024
const FILE_ATTRIBUTES = 10

/** Undefined for a file of no production-line format. */
export function findLineFormat(bytes: Uint8Array): LineFormat | undefined {
  const start = unpackStart(bytes).subarray(0, LOOKED_AT)
  if (isStdf(start)) return 'STDF'
  const text = Buffer.from(start).toString('latin1').replaceAll('\0', '')
  if (text.startsWith('FAR:A')) return 'ATDF'
  if (/^(?:ï»¿|ÿþ|þÿ)?\s*[[{]/.test(text)) return isWats(bytes) ? 'WATS' : undefined
  const [root, name] = /<(?:[\w.-]+:)?([A-Za-z][\w.-]*)(?![\w.-])[^<>]*>/.exec(text) ?? []
  if (name === 'TestResultsCollection') return 'ATML'
  if (name === 'TestResults' && /1636|ATML/.test(root ?? '')) return 'ATML'
  if (name === 'Reports' && root?.includes('wats.virinco.com')) return 'WSXF'
  return name === 'TSReport' || name === 'Reports' || name === 'Report' ? 'TESTSTAND' : undefined
}

/** The first bytes, decompressed if necessary. */
function unpackStart(bytes: Uint8Array): Uint8Array {
  const start = bytes.subarray(0, LOOKED_AT)
  if (start[0] !== 0x1f || start[1] !== 0x8b) return start
  try {
    return gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 16 * 1024 * 1024 })
  } catch {
    return start
  }
}

/** STDF begins with a file attributes record, which has two bytes. */
function isStdf(start: Uint8Array): boolean {
  const isLength = (start[0] === 2 && start[1] === 0) || (start[0] === 0 && start[1] === 2)
  return isLength && start[2] === 0 && start[3] === FILE_ATTRIBUTES
}

function isWats(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const isReport = ['"sn"', '"pn"', '"result"'].every((name) => text.includes(name))
  return isReport && /"(?:stepType|processCode|processName)"/.test(text)
}
