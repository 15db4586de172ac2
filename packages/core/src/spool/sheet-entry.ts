import type { ProgressEvent } from './progress'
import type { RunEntry } from './run-entry'
import type { RunSheet } from './run-sheet'

/** A run's line in a sheet. An execution holds one for each of its suites until the end, so it has nothing of its own. */
export class SheetEntry implements RunEntry {
  constructor(
    private readonly sheet: RunSheet,
    private readonly submissionId: string,
  ) {}

  get canBeSent(): boolean {
    return !this.sheet.isGone
  }

  async note(event: ProgressEvent): Promise<void> {
    this.sheet.note({ ...event, of: this.submissionId })
  }

  async release(): Promise<void> {
    // The sheet is released as a whole.
  }

  async remove(): Promise<void> {
    this.sheet.finish(this.submissionId)
  }
}
