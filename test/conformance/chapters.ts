import type { Chapter } from './behaviour'
import { ATTEMPTS } from './behaviours/attempts'
import { HOOK_TIMEOUTS } from './behaviours/hook-timeouts'
import { HOOKS } from './behaviours/hooks'
import { HOOKS_TOGETHER } from './behaviours/hooks-together'
import { LOADING } from './behaviours/loading'
import { NOTHING_TO_RUN } from './behaviours/loading-nothing'
import { LOADING_IN_PROJECTS } from './behaviours/loading-projects'
import { NAMES } from './behaviours/names'
import { REPEATS } from './behaviours/repeats'
import { SELECTION } from './behaviours/selection'
import { TEST_CLOCKS } from './behaviours/test-clocks'
import { VERDICTS } from './behaviours/verdicts'

/** Every behaviour, in the order of FEATURES.md. */
export const CHAPTERS: Chapter[] = [
  LOADING,
  NOTHING_TO_RUN,
  LOADING_IN_PROJECTS,
  HOOKS,
  HOOKS_TOGETHER,
  HOOK_TIMEOUTS,
  VERDICTS,
  SELECTION,
  NAMES,
  ATTEMPTS,
  REPEATS,
  TEST_CLOCKS,
]
