export { fileOf, type FilePath, ReadError, type ReadIssue } from './read-error'
export type { ImportedAttachment, ImportedRun } from './imported-run'
export { toStandardJson } from './standard-json'
export { isOpenHtf, readOpenHtf } from './openhtf/read-openhtf'
