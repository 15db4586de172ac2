import type { EventData } from './node-events'
import type { Turn } from './turns'

/**
 * Follows which test file Node reports: one after another, in the order of the queue. Node 20 and 22 do not name it if a
 * helper file declares the tests. An outermost test has two numbers: through all files when reported, within its process
 * when completed. Their difference is the same for all tests of a file.
 */
export class TestFiles {
  readonly #paths: string[] = []
  #current = -1
  /** Tests and files reported before the current file; NaN before its first test. */
  #reportedBefore = NaN

  /** Without isolation, Node reports the tests of all files as those of one process. */
  get isEmpty(): boolean {
    return this.#paths.length === 0
  }

  add(path: string): void {
    if (!this.has(path)) this.#paths.push(path)
  }

  has(path: string): boolean {
    return this.#paths.includes(path)
  }

  /** A file without tests, or that crashed, is reported as its own last test. */
  report(path: string): void {
    this.#current = this.#paths.indexOf(path)
    this.#reportedBefore = NaN
  }

  /** A test's number in its process, if it belongs to the current file. */
  numberOf({ nesting = 0, testNumber = NaN }: EventData): number {
    return nesting > 0 ? testNumber : testNumber - this.#reportedBefore
  }

  /** Undefined if the file cannot be known. */
  findOwner(data: EventData, turn: Turn | undefined): string | undefined {
    const { testNumber = NaN, file } = data
    if (turn?.number === undefined && file !== undefined && this.has(file)) return file
    if (turn?.number !== undefined && turn.number !== this.numberOf(data)) {
      this.#current += 1
      this.#reportedBefore = testNumber - turn.number
    }
    return this.#paths[this.#current]
  }
}
