import { toPlainLine } from './text'

const PREFIX = 'Runledger: '

/** Tells the user one line on stderr: stdout belongs to the framework (`jest --json`). Never throws. */
export function tellUser(message: string): void {
  writeToStderr(formatLine(message))
}

/** A line of ours with its newline; what a service or a test says cannot colour the terminal or begin a second line. */
export function formatLine(text: string): string {
  return `${PREFIX}${toPlainLine(text)}\n`
}

/** A closed stderr or a full disk under it is no reason to end the tests' process: an error of the stream is dropped. */
function writeToStderr(text: string, write = writerOfStderr()): void {
  const { stderr } = process
  const drop = (): void => undefined
  try {
    stderr.on('error', drop)
    // The stream tells an error of this write only after it has called back.
    write(text, () => setImmediate(() => stderr.off('error', drop)).unref())
  } catch {
    // Somebody replaced the stream with something that throws.
  }
}

function writerOfStderr(): (text: string, done: () => void) => void {
  return process.stderr.write.bind(process.stderr)
}

type PipedStream = { _handle?: { setBlocking?: (isBlocking: boolean) => void } }

const atExit: string[] = []

/** Writes when the process ends, below all that the framework prints; on Windows, where a pipe may lose that, at once. */
export function writeAtExit(text: string): void {
  if (process.platform === 'win32') return writeToStderr(text)
  if (atExit.push(text) > 1) return
  // At a bail, Jest replaces the stream's method by one that does nothing.
  const write = writerOfStderr()
  const writeAll = (): void => writeToStderr(atExit.splice(0).join(''), write)
  process.once('exit', () => {
    // A pipe whose reader is slow would lose it: nothing empties the stream's queue any more.
    ;(process.stderr as PipedStream)._handle?.setBlocking?.(true)
    writeAll()
  })
  // Tests that leave something open keep the process from ending, and then somebody kills it.
  setTimeout(writeAll, 5_000).unref()
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
