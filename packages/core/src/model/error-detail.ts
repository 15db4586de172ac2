/** Why something failed, in the parts that the framework has. Core removes escape sequences and the machine's paths. */
export interface ErrorDetail {
  message: string
  /** The stack, and the causes and inner errors below it. */
  stack?: string | undefined
  /** The innermost place in the project's own code. */
  location?: SourceLocation | undefined
  /** The two values that were compared, as the framework prints them. */
  expected?: string | undefined
  actual?: string | undefined
  /** The difference as the framework prints it; it may be a part of the message. */
  diff?: string | undefined
  /** The code around the failing line, as a code frame (`> 12 | expect(…)`). */
  snippet?: string | undefined
}

/** A place in the code: the file relative to the project root, with `/` separators; line and column counted from 1. */
export interface SourceLocation {
  file: string
  line?: number | undefined
  column?: number | undefined
}
