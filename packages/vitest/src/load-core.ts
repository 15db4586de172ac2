import type { createExecution } from '@runledger/core'

/** What is used of core, or why it cannot be loaded. */
export type LoadedCore = { createExecution: typeof createExecution } | { error: Error }
export type CoreLoader = () => Promise<LoadedCore>

/** Begins to load core, which a reporter that records nothing never needs; never rejects, so it may be left waiting. */
export async function loadCore(): Promise<LoadedCore> {
  try {
    return await import('@runledger/core')
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}
