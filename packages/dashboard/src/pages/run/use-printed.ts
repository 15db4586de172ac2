import type { Phase } from '@runledger/protocol'
import { findPrinted, parseSuiteLog, type Printed, type SuiteLog } from '@runledger/protocol/reading'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { START_BYTES, attachmentTextQuery } from '../../api/attachment-text'
import type { TextStart } from '../../api/client'
import { addressOf } from './attachment-row'
import { useRunFacts } from './run-context'

/**
 * What a step printed in one of its attempts. The suite's log is read when the first one asks, once for all of them;
 * until then, and where nothing was printed, it is undefined.
 */
export function usePrinted(phase: Phase | undefined, attempt: number): Printed | undefined {
  const { suiteLog } = useRunFacts()
  const address = suiteLog && addressOf(suiteLog)
  const read = useQuery({
    ...attachmentTextQuery(suiteLog?.id ?? '', address ?? '', START_BYTES),
    enabled: phase !== undefined && address !== undefined,
  })
  const { data } = read
  const isLost = suiteLog !== undefined && (address === undefined || read.isError)
  return useMemo(() => {
    if (!phase || (phase.kind !== undefined && phase.kind !== 'test')) return undefined
    if (data) return findPrinted(parseOnce(data), phase, attempt)
    return isLost ? { kind: 'log' } : undefined
  }, [phase, data, attempt, isLost])
}

const parsed = new WeakMap<TextStart, SuiteLog>()

// Each failure of a page asks for the same log.
function parseOnce(read: TextStart): SuiteLog {
  const known = parsed.get(read) ?? parseSuiteLog(read.text, read.isCut)
  parsed.set(read, known)
  return known
}
