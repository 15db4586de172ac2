import type { Generated } from 'kysely'

/** All runs of one group. Unknown facts are null. */
export interface BuildsTable {
  id: number
  /** Report variable `group` of its runs; without one, `run ` and the run's id. */
  group_name: string
  /** As `metadata_values` has it. */
  group_digest: string
  branch: string | null
  git_commit: string | null
  commit_subject: string | null
  author: string | null
  pull_request: string | null
  event: string | null
  ci_build_url: string | null
  repository: string | null
  default_branch: string | null
  /** When the first of its runs or executions began. */
  started_at_us: number
  created_at_us: number
}

export interface BuildProceduresTable {
  procedure_id: number
  build_id: number
  /** When the first of its runs or executions began. */
  started_at_us: number
}

/** A file in a project of a procedure. */
export interface SuitesTable {
  id: number
  procedure_id: number
  /** Definitions; 0 for none. */
  project_id: number
  file_id: number
}

export interface TestsTable {
  id: number
  suite_id: number
  definition_id: number
  first_seen_us: number
  /** UTC days since 1970. */
  last_seen_day: number
  line: number | null
  /** A definition. */
  owner_id: number | null
  /** The test of which this is an earlier name. */
  alias_of: number | null
  /** 1 when its first build was compared with the one before. */
  rename_checked: Generated<number>
}

/** The worst of several results in a run counts; the greatest is the worst. */
export const SKIPPED = 0
export const PASSED = 1
export const FLAKY = 2
export const FAILED = 3

export interface TestResultsTable {
  suite_id: number
  run_id: number
  test_id: number
  outcome: number
  /** Sum of its attempts. */
  duration_us: number
  /** Of its first error. */
  error_group_id: number | null
}

export interface RunSuitesTable {
  run_id: number
  suite_id: number
  skipped: number
  passed: number
  flaky: number
  failed: number
}

/** Results on a branch (0: none) and day. Skipped ones are in no roll-up. */
export interface TestDaysTable {
  procedure_id: number
  branch_id: number
  day: number
  test_id: number
  passed: number
  flaky: number
  failed: number
  /** Sum for passed first attempts. */
  passed_us: number
}
