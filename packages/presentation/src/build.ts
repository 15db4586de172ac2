import type { BuildState, BuildSummary } from '@runledger/protocol'
import { code } from './markdown-text'
import type { OutcomeLook } from './outcome'

/** How the state of a build looks. */
export const BUILD_LOOKS: Readonly<Record<BuildState, OutcomeLook>> = {
  running: { word: 'Running', tone: 'late' },
  passed: { word: 'Passed', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  incomplete: { word: 'Incomplete', tone: 'warn' },
}

/** The state of a build with its missing parts, as Markdown. */
export function formatBuild({ state, missing }: BuildSummary): string {
  return missing.length === 0 ? state : `${state}: ${missing.map(code).join('; ')}`
}
