import {
  COUNT_VARIABLES,
  formatAttachmentName,
  formatDefaultSerialNumber,
  formatDurationMs,
  formatTimestampMs,
} from '@runledger/protocol'
import type { FileToSend, RunRequest, RunToSend } from '../build'
import type { Draw } from '../draw'
import { drawScreenshot } from '../files/screenshot'
import { makeTrace } from '../files/trace'
import type { ExecutedSuite } from './execute-suites'
import { formatLog } from './log'
import { addressOf } from './identify-build'
import { type ExecutedTest, isFlaky, isPassed, mapTest } from './map-test'
import type { BuildPlan, Days } from './plan'
import { findLastStart, listActions, mapActions, nameOfPage } from './trace-test'

export interface RunSurroundings {
  build: BuildPlan
  group: string
  shard: number | undefined
  rerun: number
  days: Days
  draw: Draw
}

/** Number of days before the end in which failed runs have files. */
const DAYS_WITH_FILES = 60
const DAYS_OF_A_MONTH = 30

/** The run of a suite, as a reporter sends it. */
export function mapRun(executed: ExecutedSuite, known: RunSurroundings): RunToSend {
  const { build, rerun, draw } = known
  const { suite, tests, startedAtMs, durationMs } = executed
  const { project } = build
  const version = `${project.version}.${Math.floor(build.day / DAYS_OF_A_MONTH)}`
  const skipped = suite.tests.filter(({ spec }) => spec.skipped !== undefined)
  const log = makeLog(executed, known)
  const files = listFiles(executed, known)
  const request: RunRequest = {
    procedure_id: project.procedure.identifier,
    unit_under_test: {
      serial_number: formatDefaultSerialNumber(project.package, build.commit.sha.slice(0, 7)),
      part_number: project.package,
      revision: version,
    },
    run_passed: tests.every(isPassed),
    started_at: formatTimestampMs(startedAtMs),
    duration: formatDurationMs(durationMs),
    steps: mapSteps(executed, known),
    report_variables: mapVariables(executed, known, version),
    attachments: [...files.map(({ name }) => name), ...log.map(({ name }) => name)],
    ...(skipped.length > 0 && {
      skipped: skipped.map(({ name, spec }) => ({
        name,
        reason: spec.skipped ?? '',
        location: { file: suite.file, line: spec.line, column: 3 },
      })),
    }),
    ...(log.length > 0 && { inline_attachments: log }),
  }
  return { idempotencyKey: draw.uuid('run', project.key, build.index, suite.file, rerun), request, files }
}

/** The tests. A failed browser test is followed by its actions. */
function mapSteps({ suite, tests }: ExecutedSuite, known: RunSurroundings): NonNullable<RunRequest['steps']> {
  const surroundings = { suite: suite.spec, file: suite.file }
  const steps: NonNullable<RunRequest['steps']>[number][] = []
  for (const test of tests) {
    const parent = steps.push(mapTest(test, surroundings)) - 1
    if (isTraced(known) && !isPassed(test)) steps.push(...mapActions(test, surroundings, parent))
  }
  return steps
}

function mapVariables(
  { suite, tests }: ExecutedSuite,
  { build, group, shard, rerun, days, draw }: RunSurroundings,
  version: string,
): Record<string, string> {
  const { project, kind, commit, branch, base, request } = build
  const isLocal = kind === 'local'
  const failed = tests.filter((test) => !isPassed(test)).length
  const shardText = shard === undefined ? undefined : `${shard}/${project.shards}`
  const variables: Record<string, string | undefined> = {
    node: project.node,
    os: isLocal ? 'darwin 24.6.0 arm64' : 'linux 6.8.0-64-generic x64',
    ci: isLocal ? undefined : project.ci.name,
    ci_build_url: isLocal ? undefined : addressOf(build),
    ci_job: isLocal ? undefined : project.ci.job,
    ci_rerun: rerun > 0 ? String(rerun) : undefined,
    git_branch: branch,
    git_commit: commit.sha,
    git_commit_subject: commit.subject,
    git_author: commit.author,
    git_default_branch: 'main',
    git_merge_base: base?.sha,
    repository: project.repository,
    pull_request: request === undefined ? undefined : String(request),
    shard: shardText,
    shard_index: shard === undefined ? undefined : String(shard),
    shard_total: shard === undefined ? undefined : String(project.shards),
    group,
    package: project.package,
    package_version: version,
    file_in_repository: project.folder + suite.file,
    framework: project.framework,
    framework_version: project.frameworkVersions[build.day < days.count / 2 ? 0 : 1],
    project: suite.spec.project === '' ? undefined : suite.spec.project,
    file: suite.file,
    [COUNT_VARIABLES.passed]: String(tests.length - failed),
    [COUNT_VARIABLES.failed]: String(failed),
    [COUNT_VARIABLES.skipped]: String(suite.tests.length - tests.length),
    [COUNT_VARIABLES.flaky]: String(tests.filter(isFlaky).length),
    [COUNT_VARIABLES.errors]: '0',
    retries: String(tests.reduce((sum, { durationsMs }) => sum + durationsMs.length - 1, 0)),
    submission_id: draw.uuid('submission', project.key, build.index, suite.file, rerun),
  }
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

function hasFiles({ build, days }: RunSurroundings): boolean {
  return build.day >= days.count - DAYS_WITH_FILES
}

function makeLog({ suite, tests, startedAtMs, durationMs }: ExecutedSuite, known: RunSurroundings) {
  if (!hasFiles(known) || tests.every(({ decision }) => decision === undefined)) return []
  const { framework } = known.build.project
  const { project } = suite.spec
  const text = formatLog({ framework, project, file: suite.file, startedAtMs, durationMs, tests })
  const fileName = `${suite.file.slice(suite.file.lastIndexOf('/') + 1)}.log`
  return [{ name: formatAttachmentName({ fileName }), content_type: 'text/plain; charset=utf-8', text }]
}

function isTraced(known: RunSurroundings): boolean {
  return known.build.project.framework === 'playwright' && hasFiles(known)
}

/** For browser tests: screenshots of failed attempts, and the trace of the last attempt. */
function listFiles({ suite, tests }: ExecutedSuite, known: RunSurroundings): FileToSend[] {
  if (!isTraced(known)) return []
  return tests.flatMap((test) => [
    ...photographAttempts(test, known.draw),
    ...(isPassed(test) ? [] : [traceLastAttempt(test, suite.file, known.draw)]),
  ])
}

function traceLastAttempt(executed: ExecutedTest, file: string, draw: Draw): FileToSend {
  const { test, durationsMs } = executed
  const attempts = durationsMs.length
  return {
    name: formatAttachmentName({
      stepName: test.name,
      ...(attempts > 1 && { attempt: attempts }),
      fileName: 'trace.zip',
    }),
    contentType: 'application/zip',
    bytes: makeTrace({
      title: test.name,
      startedAtMs: findLastStart(executed),
      page: nameOfPage(file),
      picture: draw.index(1000, 'page', test.key),
      actions: listActions(executed, file),
    }),
  }
}

function photographAttempts({ test, decision, durationsMs }: ExecutedTest, draw: Draw): FileToSend[] {
  const failed = decision?.failedAttempts ?? 0
  return Array.from({ length: failed }, (_, index) => ({
    name: formatAttachmentName({
      stepName: test.name,
      ...(durationsMs.length > 1 && { attempt: index + 1 }),
      fileName: 'test-failed-1.png',
    }),
    contentType: 'image/png',
    bytes: drawScreenshot(draw.index(1000, 'page', test.key)),
  }))
}
