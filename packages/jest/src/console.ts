/**
 * A set-up file for Jest, `setupFilesAfterEnv: ['@runledger/jest/console']`: the console's calls are put on record under
 * the tests that made them, which Jest itself does not tell. What Jest prints stays as it is.
 */
import { createClock, readChannelFolder } from '@runledger/core/test-side'
import { findTest, findTestPath } from './find-test'
import { append } from './sidecar'

/** The part of Jest's consoles that we read, the same in Jest 29 and 30: every call is pushed into the buffer. */
interface BufferedConsole {
  _buffer?: unknown[]
}

const LISTENED = Symbol.for('runledger.console')

function listen(buffer: unknown[] & { [LISTENED]?: true }, folder: string): void {
  if (buffer[LISTENED]) return
  const now = createClock()
  const push = (...entries: unknown[]): number => {
    try {
      append(folder, findTest(), { kind: 'output', index: buffer.length, atMs: now() })
    } catch {
      // The disk is full, or the channel is gone with its reporter: no fault of the test's.
    }
    return Array.prototype.push.apply(buffer, entries)
  }
  // Not to be seen by whoever looks at the list.
  Object.defineProperty(buffer, LISTENED, { value: true })
  Object.defineProperty(buffer, 'push', { value: push, configurable: true, writable: true })
}

const folder = readChannelFolder()
const { _buffer: buffer } = console as BufferedConsole
if (folder !== undefined && Array.isArray(buffer) && findTestPath() !== undefined) listen(buffer, folder)
