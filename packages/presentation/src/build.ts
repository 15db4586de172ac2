import type { BuildState, BuildSummary } from '@runledger/protocol'
import { code } from './markdown-text'
import type { OutcomeLook } from './outcome'

export const BUILD_LOOKS: Readonly<Record<BuildState, OutcomeLook>> = {
  running: { word: 'Running', tone: 'late' },
  passed: { word: 'Passed', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  incomplete: { word: 'Incomplete', tone: 'warn' },
}

export function formatBuild({ state, missing }: BuildSummary): string {
  return missing.length === 0 ? state : `${state}: ${missing.map(code).join('; ')}`
}
