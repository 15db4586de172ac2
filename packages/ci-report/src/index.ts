/** What the pages of a CI show of an execution: the caller tells of it in plain data. */
export { tellCi } from './ci-pages'
export { reportRun } from './run-report'
