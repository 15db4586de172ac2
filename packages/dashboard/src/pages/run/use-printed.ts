import {
  findPrinted,
  parseSuiteLog,
  type Printed,
  type StepNode,
  type SuiteLog,
} from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { START_BYTES, attachmentTextQuery } from '../../api/attachment-text'
import type { TextStart } from '../../api/client'
import { addressOf } from './attachment-row'
import { useRunFacts } from './run-context'

/**
 * What a failed or flaky test printed in one of its attempts. The suite's log is read when the first of them asks, once
 * for all; until then, and where nothing was printed, it is undefined.
 */
export function usePrinted({ phase, className }: StepNode, attempt: number): Printed | undefined {
  const { suiteLog } = useRunFacts()
  const address = suiteLog && addressOf(suiteLog)
  const isTest = phase.kind === undefined || phase.kind === 'test'
  const isWanted = isTest && (className === 'failed' || className === 'flaky')
  const read = useQuery({
    ...attachmentTextQuery(suiteLog?.id ?? '', address ?? '', START_BYTES),
    enabled: isWanted && address !== undefined,
  })
  const { data } = read
  const isLost = suiteLog !== undefined && (address === undefined || read.isError)
  return useMemo(() => {
    if (!isWanted) return undefined
    if (data) return findPrinted(parseOnce(data), phase, attempt)
    return isLost ? { kind: 'log' } : undefined
  }, [isWanted, phase, data, attempt, isLost])
}

const parsed = new WeakMap<TextStart, SuiteLog>()

// Each failure of a page asks for the same log.
function parseOnce(read: TextStart): SuiteLog {
  const known = parsed.get(read) ?? parseSuiteLog(read.text, read.isCut)
  parsed.set(read, known)
  return known
}
