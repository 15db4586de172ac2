/** What a command knows of where it runs; tests give their own. */
export interface Surroundings {
  env: Record<string, string | undefined>
  cwd: string
  /** Where a progress bar is drawn; undefined when nobody looks on (CI, a pipe). */
  terminal?: Terminal | undefined
}

export interface Terminal {
  write(text: string): void
  /** Asks a question; true when the user says yes. */
  confirm(question: string): Promise<boolean>
  columns: number
}
