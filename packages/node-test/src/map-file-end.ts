import type { ErrorDetail } from '@runledger/core'
import { findOwnPlace, readFields } from '@runledger/reporter-kit'
import { mapError } from './map-error'
import type { NodeFailure } from './node-events'

export interface FileEnd {
  failure: unknown
  stderr: string
  /** Node's remarks, for example about an error after its test's end. */
  remarks: readonly string[]
  rootDir: string
}

const MAX_LINES = 40

/** Why a file failed: Node reports only how its process ended. The last stderr output has the error that ended it. */
export function mapFileEnd({ failure, stderr, remarks, rootDir }: FileEnd): ErrorDetail {
  const ending = describeEnding(failure)
  const error: ErrorDetail = ending === undefined ? mapError(failure, rootDir) : { message: ending }
  const lines = stderr.trimEnd().split('\n').slice(-MAX_LINES).join('\n')
  const message = [error.message, ...remarks, ...(lines === '' ? [] : [`last on stderr:\n${lines}`])]
  return { ...error, message: message.join('\n'), ...(endsWithCrash(stderr) && findPlace(lines, rootDir)) }
}

/** True if the process ended otherwise than Node ends it for failed tests. */
export function hasCrashed(failure: unknown): boolean {
  const { exitCode, signal } = readFields(failure) as NodeFailure
  return typeof signal === 'string' || (typeof exitCode === 'number' && exitCode > 1)
}

function describeEnding(failure: unknown): string | undefined {
  const { exitCode, signal } = readFields(failure) as NodeFailure
  if (typeof signal === 'string') return `the process of the test file was ended by ${signal}`
  return typeof exitCode === 'number'
    ? `the process of the test file ended with exit code ${exitCode}`
    : undefined
}

/** Node prints its version below the error that ends a process. */
function endsWithCrash(stderr: string): boolean {
  return /^Node\.js v\d\S*\s*$/m.test(stderr.slice(-200))
}

/** For a syntax error, the place is a line above the code. */
function findPlace(lines: string, rootDir: string): Pick<ErrorDetail, 'location' | 'snippet'> {
  return findOwnPlace(lines.replaceAll(/^(file:\/\/)?(\/|[A-Za-z]:[\\/]).*:\d+$/gm, '    at $&'), rootDir)
}
