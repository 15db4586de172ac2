import { fingerprintText, type TestErrorInput } from '@runledger/protocol'
import { createHash } from 'node:crypto'

export function fingerprintOf(error: TestErrorInput): string {
  return createHash('sha256').update(fingerprintText(error)).digest('hex')
}
