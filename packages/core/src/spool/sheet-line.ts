import { keepAllInEntry } from './kept-attachment'
import type { RunEntry } from './run-entry'
import type { MappedRun } from './run-mapper'
import type { RunSheet } from './run-sheet'
import { formatEntry, type SpoolHead } from './spool-entry'

/** The line of a run in its execution's sheet, as long as the run needs no files. */
export class SheetLine {
  #entry: RunEntry | undefined
  /** Which of the run's changes it has. */
  #changes = 0

  constructor(private readonly head: SpoolHead) {}

  /** Undefined while there is none. */
  get entry(): RunEntry | undefined {
    return this.#entry
  }

  /**
   * Writes the run down before it returns, unless it has not changed since; answers it with its texts kept, or undefined
   * when it has files. Errors are the system's.
   */
  keep(sheet: RunSheet, { requestJson, attachments }: MappedRun, changes: number): MappedRun | undefined {
    const kept = keepAllInEntry(attachments)
    if (kept === undefined) return undefined
    if (this.#changes !== changes) {
      const line = formatEntry(this.head, requestJson, kept)
      this.#entry = sheet.keepAtOnce(this.head.submissionId, line)
      this.#changes = changes
    }
    return { requestJson, attachments: kept }
  }

  /** The run has a folder now, or is none. */
  async remove(): Promise<void> {
    await this.#entry?.remove()
    this.abandon()
  }

  /** Leaves it as it is. */
  abandon(): void {
    this.#entry = undefined
    this.#changes = 0
  }
}
