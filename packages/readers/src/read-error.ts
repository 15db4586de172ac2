export type FilePath = readonly (string | number)[]

export interface ReadIssue {
  path: FilePath
  /** The problem, the value found and the fix; follows the path in the message. */
  message: string
}

/** A file that cannot be read as results. */
export class ReadError extends Error {
  override name = 'ReadError'
  readonly issues: readonly ReadIssue[]

  constructor(issues: readonly ReadIssue[]) {
    super(issues.map(describeIssue).join('; '))
    this.issues = issues
  }
}

/** An error about the whole file. */
export function fileOf(message: string): ReadError {
  return new ReadError([{ path: [], message }])
}

const MAX_SHOWN = 60

/** Quotes a value of the file in a message. Cuts it, because it may be as long as the file. */
export function quote(text: string): string {
  return text.length > MAX_SHOWN ? `"${text.slice(0, MAX_SHOWN)}…"` : `"${text}"`
}

/** The subject of a message about a place as a whole. */
export function wholeOf(at: FilePath): FilePath {
  return at.length === 0 ? ['The report'] : at
}

function describeIssue({ path, message }: ReadIssue): string {
  return path.length === 0 ? message : `${formatPath(path)} ${message}`
}

const MAX_NAME_LENGTH = 60

/** `phases.0.name`; what a file names may be as long as the file. */
export function formatPath(path: FilePath): string {
  return path
    .map((part) =>
      typeof part === 'string' && part.length > MAX_NAME_LENGTH ? `${part.slice(0, MAX_NAME_LENGTH)}…` : part,
    )
    .join('.')
}
