/** A service with pull requests, and the pull request and commit of this CI job on it. */
export interface Forge {
  /** Reports by the token's own author, in their order. */
  listReports(): Promise<ForgeComment[]>
  /** The body of a comment. */
  readComment(id: number): Promise<string>
  /** Returns the address of the comment. */
  createComment(body: string): Promise<string>
  editComment(id: number, body: string): Promise<void>
  deleteComment(id: number): Promise<void>
  /** Returns what was written. */
  writeStatus(status: Status): Promise<'check' | 'status'>
  close(): Promise<void>
}

export interface ForgeComment {
  id: number
  body: string
  url: string
}

export interface Status {
  name: string
  passed: boolean
  /** One line of less than 140 characters. */
  title: string
  /** Markdown. */
  text: string
  /** The page of the build; undefined if it could not be read. */
  url: string | undefined
  annotations: Annotation[]
}

export interface Annotation {
  title: string
  message: string
  /** Path from the root of the repository. */
  file: string
  line: number
}
