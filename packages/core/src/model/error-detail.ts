/** Why something failed. Core removes escape sequences and the machine's paths. */
export interface ErrorDetail {
  message: string
  /** The stack, and the causes and inner errors below it. */
  stack?: string | undefined
  /** The innermost place in the project's own code. */
  location?: SourceLocation | undefined
  expected?: string | undefined
  actual?: string | undefined
  /** The difference as the framework prints it; it may be a part of the message. */
  diff?: string | undefined
  snippet?: string | undefined
}

/** A place in the code: the file relative to the project root, with `/` separators; line and column counted from 1. */
export interface SourceLocation {
  file: string
  line?: number | undefined
  column?: number | undefined
}
