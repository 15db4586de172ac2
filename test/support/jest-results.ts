import type { JestGlobalConfig, JestRunResults } from '../../packages/jest/src/jest-types'

export const JEST_CONFIG: JestGlobalConfig = {
  rootDir: '/project',
  bail: 0,
  watch: false,
  watchAll: false,
  updateSnapshot: 'new',
  passWithNoTests: false,
  lastCommit: false,
  onlyChanged: false,
  projects: [],
}

/** One file that passed. */
export const JEST_RESULTS: JestRunResults = {
  startTime: 1,
  numTotalTestSuites: 1,
  numFailedTests: 0,
  numRuntimeErrorTestSuites: 0,
  snapshot: { failure: false, filesRemovedList: [] },
}
