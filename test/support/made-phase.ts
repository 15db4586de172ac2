import type { Phase } from '@runledger/protocol'

const at = '2026-11-20T09:30:00.000Z'

/** A phase for tests. */
export function madePhase(name: string, outcome: Phase['outcome'], more: Partial<Phase> = {}): Phase {
  return {
    id: name,
    name,
    outcome,
    started_at: at,
    ended_at: at,
    duration: 'PT0S',
    retry_count: 0,
    measurements: [],
    docstring: null,
    ...more,
  }
}
