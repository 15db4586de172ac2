import type { FrameworkEnd } from '@runledger/core'
import { listTold } from './map-execution'

export interface EndContext {
  /** Node's remarks about the whole execution, with its counts. */
  remarks: readonly string[]
  hasFailed: boolean
  exitCode: number
  /** `node --test` with the reporter on its command line: only then is the exit code Node's. */
  isCommand: boolean
}

/** Returns what Node counted, for the decision on quarantined failures. Low coverage is one of its remarks. */
export function describeEnd({ remarks, hasFailed, exitCode, isCommand }: EndContext): FrameworkEnd {
  const told = listTold(remarks)
  const otherReasons = [
    ...(told.length > 0 ? [told.join('; ')] : []),
    ...(exitCode === 1 ? [] : [`the exit code is ${exitCode}, not 1`]),
    ...(isCommand ? [] : ['the tests were not started by node --test']),
  ]
  const failedTests = readCount(remarks, 'fail') + readCount(remarks, 'cancelled')
  return { hasFailed: hasFailed || exitCode !== 0, failedTests, otherReasons }
}

function readCount(remarks: readonly string[], name: string): number {
  const found = remarks.find((remark) => remark.startsWith(`${name} `))
  return Number(found?.slice(name.length + 1) ?? 0) || 0
}
