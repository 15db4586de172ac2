import type { Suite } from '@runledger/core'
import type * as z from 'zod'
import { CommandError } from '../command-error'
import type { AttachmentFinder } from './attachments'

/** What a file of another tool says, as suites: each becomes a run. */
export interface Results {
  /** The tool that ran the tests; the name of the format where the file does not say. */
  framework: string
  frameworkVersion?: string | undefined
  suites: Suite[]
}

export interface ReadContext {
  /** The file's name without its folder. */
  fileName: string
  /** Paths in the file are made relative to it. */
  projectRoot: string
  /** When the file was written, in milliseconds since the Unix epoch. */
  writtenAtMs: number
  /** Times without a zone are this machine's; otherwise they are UTC. */
  isLocalTime: boolean
  attachments: AttachmentFinder
}

/** A file that cannot be read as results; the message says why, without the file's name. */
export class ResultFileError extends CommandError {
  override name = 'ResultFileError'
}

/** JSON of somebody else's in the shape that a reader needs. @throws ResultFileError naming the first member that differs */
export function parseShape<Schema extends z.ZodType>(schema: Schema, json: object): z.output<Schema> {
  const { success, data, error } = schema.safeParse(json)
  if (success) return data
  const { path, message } = error.issues[0] as z.core.$ZodIssue
  throw new ResultFileError(`its member ${path.map(String).join('.')} cannot be read: ${message}`)
}
