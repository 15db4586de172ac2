// No schemas here: pages load this file without them.

export const RUN_OUTCOMES = ['PASS', 'FAIL', 'ERROR', 'TIMEOUT', 'ABORTED'] as const

/**
 * The outcome of a test in a run. `flaky`: its last attempt passed after a failed one. `skipped`: it did not run.
 */
export const TEST_OUTCOMES = ['passed', 'flaky', 'failed', 'skipped'] as const

/**
 * The state of a test on a branch, from the last of its segments (docs/statistics.md). `unknown`: its sample supports none of
 * the others.
 */
export const TEST_STATES = ['healthy', 'flaky', 'broken', 'unknown'] as const

/**
 * The state of a build. A build is all runs with one report variable `group`, such as those of a CI build with its shards and
 * jobs. Its state is the first of these that is true:
 * - `incomplete`: not all of it is on record, and no more is expected: nothing has come for an hour, a later build of the
 *   branch has ended, or all executions have ended and some of their runs, or all of them, are not on record
 * - `running`: a shard has not reported, or an execution that began has not ended
 * - `failed`: a run did not pass
 * - `passed`: all of it is on record, and passed
 */
export const BUILD_STATES = ['running', 'passed', 'failed', 'incomplete'] as const

/** Yields are counted for each day, week, batch and so on. */
export const YIELD_GROUPS = ['day', 'week', 'batch', 'station', 'version', 'revision'] as const

/** Rules by which a control chart is read. */
export const RULE_SETS = ['western_electric', 'nelson'] as const

/**
 * Whether a failure is new. A test is what has the same procedure, project, file and name. What it is compared with depends on
 * what its run is about.
 *
 * A run of software names `git_branch` or `git_commit`. It is compared with runs of software that were received before. Runs of
 * one `group` are one build. The last run of a build counts: if possible, the last one on the same operating system and major
 * version of Node. In a CI, all runs of that attempt (`ci_rerun`) count, because jobs may differ in unknown facts: if one failed,
 * the build failed. The `basis` of the comparison is the first of these that has the test on record:
 * - `merge-base`: runs of the commit `git_merge_base`
 * - `default-branch`: the last build of `git_default_branch`
 * - `branch`: the last build of the run's own `git_branch`; of a run without a branch, the last build without one
 * - `none`: there is nothing to compare it with
 *
 * For the first two, runs of a CI come before other runs, because a working copy may differ from its commit.
 *
 * The verdict is the first of these that is true:
 * - `flaky`: in the test's last 100 builds, this one included, it failed and then passed on a retry, or it passed and failed in a
 *   CI on one commit (failures in infrastructure builds do not count). And it did not fail in all of the last 3
 *   builds before this one, neither on the run's branch nor on the branch of the basis
 * - `already_failing`: it failed on the basis
 * - `new`: it passed on the basis
 * - `first_seen`: the basis is `none`
 *
 * Any other run is about its unit (`basis` is `unit`). It is compared with runs of the same unit, in the order of their starts:
 * - `failed_before`: an earlier run of this unit failed at this step
 * - `first_failure`: none did
 *
 * How other units do at this step stands beside that (`unit.other_units`), and never decides it.
 */
export const VERDICTS = [
  'new',
  'already_failing',
  'flaky',
  'first_seen',
  'first_failure',
  'failed_before',
] as const

/** The kinds of things that entries of the audit log are about. */
export const AUDIT_SUBJECTS = [
  'run',
  'unit',
  'attachment',
  'part',
  'revision',
  'batch',
  'test',
  'quarantine',
  'procedure',
  'version',
  'station',
  'key',
  'user',
  'session',
  'webhook',
  'settings',
] as const
