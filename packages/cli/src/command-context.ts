import type { Clock } from './clock'
import type { Output } from './output'
import type { RunNode } from './run-node'

/** What a command knows of where it runs; tests give their own. */
export interface CommandContext {
  env: Record<string, string | undefined>
  cwd: string
  /** Where a progress bar is drawn; undefined when nobody looks on (CI, a pipe). */
  terminal?: Terminal | undefined
  /** Width of the terminal that results go to; undefined for a pipe or a file, where nothing is cut. */
  columns?: number | undefined
  /** Asks a question; true when the user says yes. Undefined where nobody can answer. */
  confirm?: ((question: string) => Promise<boolean>) | undefined
  /** Opens an address; false when that failed. Undefined where there is no browser. */
  openBrowser?: ((url: string) => Promise<boolean>) | undefined
  /** Runs a framework to ask it about a project. Undefined where none is to be run. */
  runNode?: RunNode | undefined
  /** Clock of commands that wait. Default: the system's clock. */
  clock?: Clock | undefined
}

export interface Terminal {
  write(text: string): void
  columns: number
}

/** Where a command runs, and where it writes. */
export interface Surface {
  output: Output
  context: CommandContext
}
