import type { ProjectKey } from './project'

export interface TestPlace {
  project: ProjectKey
  file: string
  name: string
}

/** A test's failure, as its framework reports it. */
export interface Failure {
  message: string
  expected?: string
  actual?: string
  /** The failing line of code. */
  code: string
  /** The file of that line, if it is not the test's own. */
  file?: string
}
