import { toPlainLine } from './text'

const PREFIX = 'Runledger: '

/** On stderr: stdout belongs to the framework (`jest --json`). Never throws. */
export function printWarning(message: string): void {
  writeToStderr(formatLine(message))
}

/** A line of ours; text from a service or test cannot colour the terminal or add a line. */
export function formatLine(text: string): string {
  return `${PREFIX}${toPlainLine(text)}\n`
}

/** A closed stderr or a full disk must not end the tests' process. */
function writeToStderr(text: string, write = writerOfStderr()): void {
  const { stderr } = process
  const drop = (): void => undefined
  try {
    stderr.on('error', drop)
    // The stream reports an error of this write only after the callback.
    write(text, () => setImmediate(() => stderr.off('error', drop)).unref())
  } catch {
    // Another program replaced the stream with one that throws.
  }
}

function writerOfStderr(): (text: string, done: () => void) => void {
  return process.stderr.write.bind(process.stderr)
}

type PipedStream = { _handle?: { setBlocking?: (isBlocking: boolean) => void } }

const atExit: string[] = []

/** Writes at process exit, below the framework's output; on Windows at once, because a pipe may lose it. */
export function writeAtExit(text: string): void {
  if (process.platform === 'win32') return writeToStderr(text)
  if (atExit.push(text) > 1) return
  // At a bail, Jest replaces the stream's method by one that does nothing.
  const write = writerOfStderr()
  const writeAll = (): void => writeToStderr(atExit.splice(0).join(''), write)
  process.once('exit', () => {
    blockStderr()
    writeAll()
  })
  // Tests that leave something open keep the process alive until it is killed.
  setTimeout(writeAll, 5_000).unref()
}

/** Returns a function for a listener of the process's exit, which runs too late for `writeAtExit`. */
export function prepareExitPrinter(): (message: string) => void {
  // With `--forceExit`, Jest replaces the stream's method before the listeners run.
  const write = writerOfStderr()
  return (message) => {
    blockStderr()
    writeToStderr(formatLine(message), write)
  }
}

/** At exit, a slow reader of a pipe would lose lines: the stream's queue is no longer emptied. */
function blockStderr(): void {
  ;(process.stderr as PipedStream)._handle?.setBlocking?.(true)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
