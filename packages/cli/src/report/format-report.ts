import { type Build, formatWholeNumber } from '@runledger/protocol'
import {
  BoundedMarkdown,
  code,
  codeLink,
  describeCounts,
  escapeAddress,
  formatCount,
  formatReason,
  joinFacts,
} from '@runledger/presentation'
import type { Doubt } from '../gate/doubt'
import { countOf, type Result } from '../gate/judge'
import type { Failure, FailureKind } from '../gate/read-failures'
import type { Details } from './read-details'

type ReportedBuild = Result & { build: Build }

/** Leaves room for the marker and the count of omitted tests below GitHub's limit of 65,536 characters. */
const MAX_LENGTH = 57_000
const MAX_MISSING = 20

interface Section {
  kind: FailureKind
  what: string
  heading: string
  most: number
}

const SECTIONS: readonly Section[] = [
  { kind: 'new', what: 'new failure', heading: '**New**', most: 50 },
  {
    kind: 'flaky',
    what: 'flaky failure',
    heading: '**Flaky**, but not on the merge base or the default branch: this change may be the cause',
    most: 50,
  },
  {
    kind: 'no_basis',
    what: 'failure without a basis',
    heading: '**No basis**: neither the merge base nor the default branch has a comparable result',
    most: 50,
  },
  {
    kind: 'not_compared',
    what: 'failure not compared',
    heading: '**Not compared** with earlier runs',
    most: 20,
  },
  {
    kind: 'known',
    what: 'known failure',
    heading: '**Known**: already failing, or flaky, where the branch comes from',
    most: 20,
  },
]

/** Whether the whole build is on record and no failure counts. */
export function isGreen({ passed, failures }: Result): boolean {
  return passed && failures.length === 0
}

function isRead(result: Result): result is ReportedBuild {
  return result.build !== null
}

/** `build incomplete, 2 new failures, 1 known failure`. */
export function formatTitle(result: Result): string {
  if (!isRead(result)) return `not known: ${result.unknown.map(({ name }) => name).join(', ')}`
  const { build, failures, passed } = result
  const counts = SECTIONS.map(({ kind, what }) => ({ what, count: countOf(result, kind) })).filter(
    ({ count }) => count > 0,
  )
  if (isGreen(result)) return build.state === 'passed' ? 'build passed' : 'no failures after a rerun'
  const names = listDoubts(result).map(({ name }) => name)
  if (counts.length === 0)
    return [`build ${build.state}`, ...(names.length > 0 ? [`not known: ${names.join(', ')}`] : [])].join(
      ', ',
    )
  if (passed) return `no new failures, ${formatWholeNumber(failures.length)} known`
  const state = build.state === 'failed' ? [] : [`build ${build.state}`]
  return [...state, ...counts.map(({ what, count }) => formatFailures(count, what))].join(', ')
}

/** Lists the unknown facts, except failures and missing parts, which the report lists elsewhere. */
function listDoubts({ unknown, build }: ReportedBuild): Doubt[] {
  const listed = ['flaky', 'no-basis', 'not-compared', ...(build.missing.length > 0 ? ['incomplete'] : [])]
  return unknown.filter(({ name }) => !listed.includes(name))
}

function formatFailures(count: number, what: string): string {
  return formatCount(count, what, what.replace('failure', 'failures'))
}

interface Place {
  name: string
  /** The commit of this job. */
  commit: string
}

/** Returns Markdown. Texts of tests and machines are written as code, so that they contain no links, HTML or mentions. */
export function formatReport(result: Result, details: Details, { name, commit }: Place): string {
  const page = new BoundedMarkdown(MAX_LENGTH)
  const isBroken = result.failures.some(({ kind }) => kind !== 'known') || result.more_failures > 0
  const of = name === '' ? '' : ` ${code(name)}`
  page.add(`### ${result.passed ? '✅' : isBroken ? '❌' : '⚠️'} Runledger${of}: ${formatTitle(result)}`)
  if (isRead(result)) return fillPage(page, result, details)
  page.add(formatCommit(commit))
  for (const { message } of result.unknown) page.add(`- Not known: ${code(message)}`)
  return page.end('')
}

function fillPage(page: BoundedMarkdown, result: ReportedBuild, details: Details): string {
  const { build, failures, replaced_runs: replaced, advice } = result
  page.add(
    joinFacts([
      `[Open on Runledger](${escapeAddress(build.url)})`,
      build.commit === null ? undefined : formatCommit(build.commit),
      describeCounts(build.tests),
    ]),
  )
  page.addEach(build.missing, {
    heading: `**Build ${build.state}**`,
    most: MAX_MISSING,
    format: (clause) => `- ${code(clause)}`,
    what: (count) => formatCount(count, 'missing part'),
  })
  for (const { message } of listDoubts(result)) page.add(`- Not known: ${code(message)}`)
  if (build.is_infrastructure)
    page.add('Most tests failed, or many with one error: the infrastructure may be at fault.')
  for (const { kind, what, heading, most } of SECTIONS)
    page.addEach(
      failures.filter((failure) => failure.kind === kind),
      {
        heading,
        most,
        format: (failure) => formatFailure(failure, details, build.url),
        total: countOf(result, kind),
        what: (count) => formatFailures(count, what),
      },
    )
  if (replaced > 0)
    page.add(`Not counted: ${formatCount(replaced, 'failed run')} of jobs that were run again.`)
  page.add(advice ?? '')
  return page.end(escapeAddress(build.url))
}

function formatCommit(commit: string): string {
  return `commit ${code(commit.slice(0, COMMIT))}`
}

const COMMIT = 10

function formatFailure(failure: Failure, { findVerdict }: Details, page: string): string {
  const { name, file, error, url } = failure
  const verdict = findVerdict(failure)
  const linkRun = (id: string) => new URL(`runs/${id}`, page).href
  const facts = joinFacts([
    codeLink(name, url),
    name === file ? undefined : code(file),
    verdict && formatReason(verdict, linkRun),
  ])
  return `- ${facts}${error === null ? '' : `\n  - ${code(error)}`}`
}
