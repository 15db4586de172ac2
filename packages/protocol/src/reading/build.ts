import type { BuildState } from '../resources/build'
import type { OutcomeLook } from './outcome'

/** How the state of a build looks. */
export const BUILD_LOOKS: Readonly<Record<BuildState, OutcomeLook>> = {
  running: { word: 'Running', tone: 'late' },
  passed: { word: 'Passed', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  incomplete: { word: 'Incomplete', tone: 'warn' },
}
