import { createContext } from 'react'

/** What the part of an address after `#` names on the page of a run. */
export interface HashTarget {
  /** Place of a step in the run. */
  step?: number
  log?: { attachmentId: string; line: number }
}

/** Leads to a line of a text, counted from 1. */
export function logLineHash(attachmentId: string, line: number): string {
  return `log-${attachmentId}-${line}`
}

/** Reads the target of an address; empty for other text. */
export function parseHash(hash: string): HashTarget {
  const step = /^step-(\d{1,7})$/.exec(hash)
  if (step) return { step: Number(step[1]) }
  const log = /^log-(.+)-(\d{1,9})$/.exec(hash)
  return log ? { log: { attachmentId: log[1] ?? '', line: Number(log[2]) } } : {}
}

/** What the address names, for whatever part of the page it is. */
export const TargetContext = createContext<HashTarget>({})
