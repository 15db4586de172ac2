import type { ProjectKey } from './project'

/** A test by its newest file and name. */
export interface TestPlace {
  project: ProjectKey
  file: string
  name: string
}

/** Why a test fails, as its framework tells it. */
export interface Failure {
  message: string
  expected?: string
  actual?: string
  /** The failing line of code. */
  code: string
  /** Where that is, when it is not in the test's own file. */
  file?: string
}
