import type * as Core from '@runledger/core'

/** Core, or why it cannot be loaded; the promise never rejects, so it may be left waiting. */
export type LoadedCore = { core: typeof Core } | { error: Error }

/** Begins to load core, which a reporter that records nothing never needs. */
export async function loadCore(): Promise<LoadedCore> {
  try {
    return { core: await import('@runledger/core') }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}
