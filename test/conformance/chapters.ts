import type { Chapter } from './behaviour'
import { ATTACHMENTS } from './behaviours/attachments'
import { ATTEMPTS } from './behaviours/attempts'
import { BAIL } from './behaviours/bail'
import { ERRORS } from './behaviours/errors'
import { GLOBAL_HOOKS } from './behaviours/global-hooks'
import { HOOK_TIMEOUTS } from './behaviours/hook-timeouts'
import { HOOKS } from './behaviours/hooks'
import { HOOKS_TOGETHER } from './behaviours/hooks-together'
import { LATE_ERRORS } from './behaviours/late-errors'
import { LIMITS } from './behaviours/limits'
import { LOADING } from './behaviours/loading'
import { NOTHING_TO_RUN } from './behaviours/loading-nothing'
import { LOADING_IN_PROJECTS } from './behaviours/loading-projects'
import { MODES } from './behaviours/modes'
import { NAMES } from './behaviours/names'
import { OUTPUT } from './behaviours/output'
import { OWN_ERRORS } from './behaviours/own-errors'
import { POOLS } from './behaviours/pools'
import { PROCESSES } from './behaviours/processes'
import { PROJECT_KINDS } from './behaviours/project-kinds'
import { PROJECTS } from './behaviours/projects'
import { REPEATS } from './behaviours/repeats'
import { REPORTERS } from './behaviours/reporters'
import { RUN_PER } from './behaviours/run-per'
import { SELECTION } from './behaviours/selection'
import { SHARDS } from './behaviours/shards'
import { SIGNALS } from './behaviours/signals'
import { SNAPSHOTS } from './behaviours/snapshots'
import { TEST_CLOCKS } from './behaviours/test-clocks'
import { TEST_SIDE } from './behaviours/test-side'
import { TEST_SIDE_PLACES } from './behaviours/test-side-places'
import { UNHANDLED } from './behaviours/unhandled'
import { VERDICTS } from './behaviours/verdicts'
import { VITEST_HOOKS } from './behaviours/vitest-hooks'
import { VITEST_MODES } from './behaviours/vitest-modes'

/** Behaviours of suites and their tests. */
export const SUITE_CHAPTERS: Chapter[] = [
  LOADING,
  NOTHING_TO_RUN,
  LOADING_IN_PROJECTS,
  HOOKS,
  HOOKS_TOGETHER,
  HOOK_TIMEOUTS,
  VITEST_HOOKS,
  VERDICTS,
  ERRORS,
  SELECTION,
  NAMES,
  ATTEMPTS,
  REPEATS,
  ATTACHMENTS,
  OUTPUT,
  TEST_CLOCKS,
  TEST_SIDE,
  LIMITS,
]

/** Behaviours of whole executions; they follow in FEATURES.md. */
export const EXECUTION_CHAPTERS: Chapter[] = [
  UNHANDLED,
  LATE_ERRORS,
  PROCESSES,
  SNAPSHOTS,
  BAIL,
  SIGNALS,
  GLOBAL_HOOKS,
  SHARDS,
  PROJECTS,
  VITEST_MODES,
  PROJECT_KINDS,
  POOLS,
  RUN_PER,
  MODES,
  REPORTERS,
  OWN_ERRORS,
  TEST_SIDE_PLACES,
]
