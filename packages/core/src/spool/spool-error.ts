import { describeError } from '../model/errors'

/** The spool's folder cannot be written: a full disk, a read-only or missing place. */
export class SpoolError extends Error {
  override name = 'SpoolError'
}

/** An entry is half-written, or none of ours; the message says what is wrong with it. */
export class StrangeEntryError extends Error {
  override name = 'StrangeEntryError'
}

/** Whatever fails in an action on the spool's folder becomes a SpoolError with its cause. */
export async function toSpoolErrors<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action()
  } catch (error) {
    throw new SpoolError(describeError(error), { cause: error })
  }
}

/** What comes of work on a file; undefined where the file is not there. Other errors are the system's. */
export async function ifThere<Found>(work: Promise<Found>): Promise<Found | undefined> {
  try {
    return await work
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The system's code of an error (`ENOENT`), where it has one. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
