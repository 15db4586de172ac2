/** GitHub or GitLab, with the pull request and the commit of this CI job. */
export interface Forge {
  /** Lists reports by the author of the token, oldest first. */
  listReports(): Promise<ForgeComment[]>
  readComment(id: number): Promise<string>
  /** Returns the address of the comment. */
  createComment(body: string): Promise<string>
  editComment(id: number, body: string): Promise<void>
  deleteComment(id: number): Promise<void>
  /** Returns which of the two was written. */
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
  /** One line with fewer than 140 characters. */
  title: string
  /** Markdown. */
  text: string
  /** The page of the build; undefined if the build could not be read. */
  url: string | undefined
  annotations: Annotation[]
}

export interface Annotation {
  title: string
  message: string
  /** Path relative to the root of the repository. */
  file: string
  line: number
}
