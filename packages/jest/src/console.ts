/** For `setupFilesAfterEnv: ['@runledger/jest/console']`: assigns console calls to their tests, which Jest does not report. */
import { createClock, readChannelFolder } from '@runledger/reporter-kit/test-side'
import { findTest, findTestPath } from './find-test'
import { appendEvent } from './sidecar'

/** Jest's buffered console, the same in Jest 29 and 30: every call is pushed into the buffer. */
interface BufferedConsole {
  _buffer?: unknown[]
}

const WATCHED = Symbol.for('runledger.console')

function watch(buffer: unknown[] & { [WATCHED]?: true }, folder: string): void {
  if (buffer[WATCHED]) return
  const now = createClock()
  const push = (...entries: unknown[]): number => {
    try {
      appendEvent(folder, findTest(), { kind: 'output', index: buffer.length, atMs: now() })
    } catch {
      // A full disk or a removed channel must not fail the test.
    }
    return Array.prototype.push.apply(buffer, entries)
  }
  // Not enumerable.
  Object.defineProperty(buffer, WATCHED, { value: true })
  Object.defineProperty(buffer, 'push', { value: push, configurable: true, writable: true })
}

const folder = readChannelFolder()
const { _buffer: buffer } = console as BufferedConsole
if (folder !== undefined && Array.isArray(buffer) && findTestPath() !== undefined) watch(buffer, folder)
