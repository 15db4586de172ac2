import type { Explanation, FailureExplanation, LineBuild, TestPast, TestError } from '@runledger/protocol'
import { formatBuild } from './build'
import { findDiff, parseSnippet, parseStack, shortenMessage } from './error-text'
import { formatJudgement, isProvenFlaky } from './judgement'
import { BoundedMarkdown, code, codeBlock, joinFacts } from './markdown-text'
import { formatCount } from './number'
import { formatRate } from './rate'
import { formatLocation } from './source-link'
import { VERDICT_LOOKS } from './verdict'
import { formatReason } from './verdict-markdown'

/** Fewer than 2,000 tokens: of the densest texts, ids among them, each has 2.5 characters. */
const MAX_LENGTH = 4_900
const MAX_COMMIT = 10
const LINES_AROUND = 2

export interface ExplanationLinks {
  linkRun: (runId: string) => string
}

/** Why failures happened, as Markdown of at most about 2,000 tokens. */
export function formatExplanation(explanation: Explanation, links: ExplanationLinks): string {
  const { build, test, failures, failures_count: count, causes_count: causes } = explanation
  const page = new BoundedMarkdown(MAX_LENGTH)
  page.add(`# ${describeHead(explanation)}`)
  if (build && !test) page.add(listBuildFacts(build).join('\n'))
  const room = Math.floor((MAX_LENGTH - 400) / Math.max(failures.length, 1))
  page.addEach(failures, {
    heading: '',
    format: (failure) => formatOne(failure, { ...links, room, isAlone: failures.length === 1 }),
    total: causes,
    what: (left) => `${formatCount(left, 'cause')} of ${formatCount(count, 'failure')}`,
  })
  return page.end('explain a test or a run by itself')
}

function describeHead({ build, test, failures_count: count, causes_count: causes }: Explanation): string {
  if (test) return count === 0 ? `${code(test.name)} has no failure on record` : `Last failure of a test`
  const what = build ? `Build ${code(build.group)}` : 'Run'
  if (count === 0) return build ? `${what}: nothing failed` : 'Nothing failed'
  return `${what}: ${formatCount(count, 'failure')}, ${formatCount(causes, 'cause')}`
}

function listBuildFacts(build: NonNullable<Explanation['build']>): string[] {
  const { tests, missing } = build
  return [
    `- ${joinFacts([build.state, describePlace(build), build.commit_subject === null ? undefined : code(build.commit_subject)])}`,
    `- ${tests.passed} passed, ${tests.failed} failed, ${tests.flaky} flaky, ${tests.skipped} skipped`,
    ...(missing.length > 0 ? [`- Not all is on record: ${formatBuild(build)}`] : []),
    ...(build.is_infrastructure
      ? ['- Infrastructure build: so much failed that the environment is the likely cause, not a commit']
      : []),
  ]
}

interface OneFailure extends ExplanationLinks {
  room: number
  isAlone: boolean
}

function formatOne(failure: FailureExplanation, { room, linkRun }: OneFailure): string {
  const address = linkRun(failure.run_id)
  const facts = [
    ...describeVerdict(failure),
    ...(failure.past ? describePast(failure.past, failure) : []),
    ...describeSameError(failure),
    ...describeRerun(failure),
    `- Run: ${failure.step === null ? address : `${address}#step-${failure.step}`}`,
  ].join('\n')
  const title = joinFacts([
    code(failure.name),
    failure.outcome === 'flaky' ? 'passed on a retry' : undefined,
    failure.declared_at === null ? undefined : code(failure.declared_at),
    failure.owner === null ? undefined : `owner ${code(failure.owner)}`,
  ])
  const left = Math.max(300, room - facts.length - title.length - 40)
  return [`## ${title}`, ...describeError(failure, left), facts].filter((part) => part !== '').join('\n\n')
}

/** The message, the difference, and the failing line with its neighbours. */
function describeError({ error, failed_in: step }: FailureExplanation, room: number): string[] {
  const within = step === null ? '' : `In step ${code(step)}`
  if (!error) return [within, 'No error is on record.']
  const location = error.location ?? parseStack(error).find((line) => line.location)?.location
  const at = location ? `At ${code(formatLocation(location))}` : 'Its place is not on record'
  const diff = findDiff(error).map(({ kind, text }) => `${SIGNS[kind]} ${text}`.trimEnd())
  const lines = listLines(error, location?.line)
  const parts = 1 + (diff.length > 0 ? 1 : 0) + (lines === '' ? 0 : 1)
  const share = Math.floor(room / parts)
  return [
    joinFacts([within, at]),
    codeBlock(shortenMessage(error) || 'The error has no message.', '', share),
    ...(diff.length > 0 ? [codeBlock(diff.join('\n'), 'diff', share)] : []),
    ...(lines === '' ? [] : [codeBlock(lines, '', share)]),
  ]
}

const SIGNS = { expected: '-', actual: '+', same: ' ', place: '' } as const

/** The failing line of the code frame and its neighbours. */
function listLines({ snippet = '' }: TestError, failingLine: number | undefined): string {
  const lines = parseSnippet(snippet, failingLine)
  const at = lines.findIndex(({ isFailing }) => isFailing)
  if (at < 0) return snippet.trim()
  return lines
    .slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1)
    .filter(({ number }) => number !== undefined)
    .map(({ number, text, isFailing }) => `${isFailing ? '>' : ' '} ${number} | ${text}`)
    .join('\n')
}

function describeVerdict({ verdict }: FailureExplanation): string[] {
  return verdict ? [`- ${VERDICT_LOOKS[verdict.verdict].word}: ${formatReason(verdict)}`] : []
}

function describePast(past: TestPast, failure: FailureExplanation): string[] {
  return [
    `- ${formatJudgement(past.judgement)}`,
    ...describeInterval(past, failure),
    ...(past.fixed_by ? [`- Passes again since ${describeBuildOf(past.fixed_by)}`] : []),
    ...describeDefaultBranch(past),
    `- Failed ${formatRate(past.failures)}, flaky ${formatRate(past.flakes)}: first attempts of its last results on the branch; state ${past.state}`,
    ...describeEvidence(past),
    ...(past.earlier_names.length > 0
      ? [
          `- Earlier names: ${past.earlier_names.map(({ name, file }) => joinFacts([code(name), file === null ? undefined : code(file)])).join('; ')}`,
        ]
      : []),
  ]
}

function describeInterval(past: TestPast, { outcome }: FailureExplanation): string[] {
  const { last_passed: passed, first_failed: failed, unknown_between: unknown, judgement } = past
  if (outcome === 'flaky') return passed ? [`- Last passed before in ${describeBuildOf(passed)}`] : []
  const row = `${formatCount(past.failing_builds, 'build')} in a row failed`
  const isFlaky = isProvenFlaky(judgement) ? '; a flaky failure needs no commit that introduced it' : ''
  if (!passed)
    return [
      past.is_first_seen
        ? '- First seen in this build: no earlier result is on record'
        : `- No pass before is on record; fails since ${describeBuildOf(failed)}, ${row}`,
    ]
  const between =
    unknown > 0
      ? `; ${formatCount(unknown, 'build')} between say nothing of it (not run, or infrastructure)`
      : ''
  return [
    `- Last passed in ${describeBuildOf(passed)}`,
    `- First failed in ${describeBuildOf(failed)}, ${row}${between}${isFlaky}`,
    ...describeCommits(passed, failed),
  ]
}

function describeCommits({ commit: good }: LineBuild, { commit: bad }: LineBuild): string[] {
  if (good === null || bad === null) return ['- Which commits broke it is not known: a build names no commit']
  if (good === bad) return ['- Both builds have the same commit: no commit between them broke it']
  const range = /^[\da-f]+$/i.test(good + bad)
    ? `: \`git log --oneline ${good.slice(0, MAX_COMMIT)}..${bad.slice(0, MAX_COMMIT)}\``
    : ''
  return [`- Introduced after commit ${shorten(good)}, up to ${shorten(bad)}${range}`]
}

function describeBuildOf(build: LineBuild): string {
  const { commit_subject: subject, started_at: startedAt } = build
  return joinFacts([
    `build ${code(build.group)}`,
    describePlace(build),
    subject === null ? undefined : code(subject.slice(0, 80)),
    `${startedAt.slice(0, 16)}Z`,
  ])
}

function describePlace({ branch, commit, author }: Pick<LineBuild, 'branch' | 'commit' | 'author'>): string {
  return joinFacts([
    branch === null ? undefined : `branch ${code(branch)}`,
    commit === null ? undefined : `commit ${shorten(commit)}`,
    author === null ? undefined : `by ${code(author)}`,
  ])
}

function shorten(commit: string): string {
  return code(commit.slice(0, MAX_COMMIT))
}

function describeDefaultBranch({ default_branch: known }: TestPast): string[] {
  if (!known) return []
  const { branch, outcome, build } = known
  const words = { passed: 'passes', flaky: 'passes on a retry', failed: 'fails', skipped: 'is skipped' }[
    outcome
  ]
  return [`- On ${code(branch)} it ${words} (build ${code(build.group)})`]
}

function describeEvidence({ flaky_evidence: evidence, flaky_evidence_count: count }: TestPast): string[] {
  if (count === 0) return ['- No evidence that it is flaky in its last 100 builds or 14 days']
  const kinds = { 'passed-on-retry': 'passed on a retry', 'both-verdicts': 'passed and failed on one commit' }
  const told = evidence.slice(0, 2).map(({ kind, build }) => `${kinds[kind]} in build ${code(build.group)}`)
  return [`- Evidence that it is flaky, ${formatCount(count, 'piece')}: ${told.join('; ')}`]
}

const MAX_NAMED = 3

function describeSameError({
  same_error: same,
  tests_in_build: inBuild,
  past,
}: FailureExplanation): string[] {
  const here = inBuild.others.slice(0, MAX_NAMED).map(({ name }) => code(name))
  const ofBuild =
    inBuild.count > 1
      ? [
          `- ${formatCount(inBuild.count, 'test')} failed together with this error: ${here.join(', ')}${inBuild.count > MAX_NAMED + 1 ? ', …' : ''}`,
        ]
      : []
  if (!same) return ofBuild
  const others = same.other_tests.slice(0, MAX_NAMED).map(({ name }) => code(name))
  const branches = same.branches.slice(0, MAX_NAMED).map((branch) => code(branch))
  const facts = [
    formatCount(same.count, 'time'),
    formatCount(same.tests_count, 'test'),
    others.length > 0 && inBuild.count <= 1 ? `also ${others.join(', ')}` : undefined,
    branches.length > 0 ? `branches ${branches.join(', ')}` : undefined,
    `first seen ${same.first_seen_at.slice(0, 10)}`,
  ]
  const isOnlyHere = same.count === 1 && past !== null
  return [
    ...ofBuild,
    `- ${isOnlyHere ? 'Same error elsewhere: never' : `Same error on record: ${joinFacts(facts)}`}`,
  ]
}

function describeRerun({ rerun: { checkout, command } }: FailureExplanation): string[] {
  if (command === null) return ['- How to run it again is not known: its framework is not on record']
  const both = checkout === null ? command : `${checkout} && ${command}`
  return [`- Run it again: ${asCommand(both)}`]
}

/** Never cut: half a command is another command. */
function asCommand(command: string): string {
  const ticks = '`'.repeat(Math.max(0, ...[...command.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  const space = ticks.length > 1 ? ' ' : ''
  return `${ticks}${space}${command}${space}${ticks}`
}
