import type { EventData } from './node-events'
import type { Turn } from './turns'

/**
 * Follows which test file Node reports: one file after another, in the order in which it enqueued them. Node 20 and 22 do not
 * name it where a helper file declares the tests. An outermost test has two numbers: through all files when it is reported,
 * and of its own process when it completes. They differ by the same number for all tests of a file.
 */
export class TestFiles {
  readonly #paths: string[] = []
  #current = -1
  /** How many tests and files were reported before the current file; NaN before the first test of a file. */
  #reportedBefore = NaN

  /** Without isolation there are none: Node reports the tests of all files as those of one process. */
  get isEmpty(): boolean {
    return this.#paths.length === 0
  }

  add(path: string): void {
    if (!this.has(path)) this.#paths.push(path)
  }

  has(path: string): boolean {
    return this.#paths.includes(path)
  }

  /** A file that has no tests, or that crashed, is reported as a test itself, the last of the file. */
  report(path: string): void {
    this.#current = this.#paths.indexOf(path)
    this.#reportedBefore = NaN
  }

  /** The number by which the process that ran a test knew it, if the test is one of the current file. */
  numberOf({ nesting = 0, testNumber = NaN }: EventData): number {
    return nesting > 0 ? testNumber : testNumber - this.#reportedBefore
  }

  /** The path of the file that ran an outermost test; undefined where that cannot be known. */
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
