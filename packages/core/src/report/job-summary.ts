import {
  type BuildSummary,
  cutWell,
  describeBuild,
  formatOutsideLimits,
  sumTestCounts,
  type TestCounts,
} from '@runledger/protocol'
import { cleanName } from '../util/text'
import type { RunReport } from './run-report'

export interface JobSummary {
  /** `jest 30.5.2`, in the heading. */
  framework: string
  /** Whether each run passed, including those that could not be made. */
  verdicts: readonly boolean[]
  /** The runs that were made. */
  reports: readonly RunReport[]
  url: string | undefined
  /** A problem of the delivery; empty if there is none. */
  trouble: string
  build?: BuildSummary | undefined
  /** Paragraphs in Markdown that say how many failures are new. */
  failures: readonly string[]
}

const MAX_RUNS = 50
const MAX_FAILED = 30
const MAX_SLOWEST = 5
/** Faster tests are never listed as slow. */
const SLOW_MS = 100

export function formatJobSummary(summary: JobSummary): string {
  const { reports, trouble, failures } = summary
  const parts = [
    formatHeading(summary),
    trouble === '' ? '' : `> ${escapeMarkdown(trouble)}`,
    formatBuild(summary),
    ...failures,
    formatRuns(reports),
    formatFailed(reports),
    formatSlowest(reports),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

export function formatHeading({ framework, verdicts, reports, url, build }: JobSummary): string {
  const failed = verdicts.filter((passed) => !passed).length
  const runs = `${verdicts.length} run${verdicts.length === 1 ? '' : 's'}`
  const sign = build?.state === 'incomplete' ? '⚠️' : '✅'
  const outcome =
    failed === 0 ? `${sign} ${runs} passed${formatOutside(reports)}` : `❌ ${failed} of ${runs} failed`
  const title = `### ${escapeMarkdown(framework)}: ${outcome}`
  return url === undefined ? title : `${title}\n\n${linkMarkdown('Open on Runledger', url)}`
}

function formatOutside(reports: readonly Pick<RunReport, 'outsideLimits'>[]): string {
  const count = reports.reduce((sum, { outsideLimits }) => sum + outsideLimits, 0)
  return count === 0 ? '' : `, ${formatOutsideLimits(count)}`
}

function formatBuild({ build }: JobSummary): string {
  if (build === undefined || build.missing.length === 0) return ''
  const { state, missing } = build
  const lines = missing.map((clause) => `> - ${escapeMarkdown(clause)}`)
  return [
    `> ${state === 'incomplete' ? '⚠️' : '⏳'} **Build ${describeBuild({ state, missing: [] })}**`,
    '>',
    ...lines,
  ].join('\n')
}

function formatRuns(reports: readonly RunReport[]): string {
  if (reports.length === 0) return ''
  const shown = reports.toSorted((a, b) => Number(a.passed) - Number(b.passed)).slice(0, MAX_RUNS)
  const rest = reports.length - shown.length
  const all = sumTestCounts(reports.map(({ counts }) => counts))
  const columns = COLUMNS.filter(([name]) => name !== 'errors' || all.errors > 0)
  return [
    `| Suite | ${columns.map(([, title]) => title).join(' | ')} | Time |`,
    `| --- | ${columns.map(() => '--:').join(' | ')} | --: |`,
    ...shown.map((report) => formatRun(report, columns)),
    ...(rest > 0 ? [`| … and ${rest} more |${' |'.repeat(columns.length + 1)}`] : []),
    ...(reports.length > 1 ? [formatTotal(reports, columns)] : []),
  ].join('\n')
}

type Columns = readonly (readonly [name: keyof TestCounts, title: string])[]

const COLUMNS: Columns = [
  ['passed', 'Passed'],
  ['failed', 'Failed'],
  ['skipped', 'Skipped'],
  ['flaky', 'Flaky'],
  ['errors', 'Errors outside of tests'],
]

function formatRun(report: RunReport, columns: Columns): string {
  const { file, project, passed, counts, durationMs, url } = report
  const name = escapeMarkdown(project === undefined || project === file ? file : `${project} › ${file}`)
  return formatRow(
    `${passed ? '✅' : '❌'} ${linkMarkdown(name, url)}${formatOutside([report])}`,
    columns.map(([column]) => counts[column]),
    durationMs,
  )
}

function formatTotal(reports: readonly RunReport[], columns: Columns): string {
  const all = sumTestCounts(reports.map(({ counts }) => counts))
  const durationMs = reports.reduce((sum, report) => sum + report.durationMs, 0)
  return formatRow(
    '**All**',
    columns.map(([column]) => all[column]),
    durationMs,
  )
}

function formatRow(name: string, counts: readonly number[], durationMs: number): string {
  return `| ${name} | ${counts.join(' | ')} | ${formatTime(durationMs)} |`
}

type Step = RunReport['steps'][number]

interface PlacedStep extends Step {
  run: RunReport
}

function listSteps(reports: readonly RunReport[], isWanted: (step: Step) => boolean): PlacedStep[] {
  return reports.flatMap((run) => run.steps.filter(isWanted).map((step) => ({ ...step, run })))
}

function formatFailed(reports: readonly RunReport[]): string {
  const failed = listSteps(reports, ({ passed }) => !passed)
  if (failed.length === 0) return ''
  const rest = failed.length - MAX_FAILED
  return [
    '**Failed**\n',
    ...failed.slice(0, MAX_FAILED).map(formatFailure),
    ...(rest > 0 ? [`- … and ${rest} more`] : []),
  ].join('\n')
}

function formatFailure(step: PlacedStep): string {
  const verdict = step.verdict ? ` · **${step.verdict}**` : ''
  return `- ${linkStep(step)} · ${escapeMarkdown(step.run.file)}${verdict}`
}

function formatSlowest(reports: readonly RunReport[]): string {
  const slowest = listSteps(reports, ({ durationMs }) => durationMs >= SLOW_MS)
    .sort((a, b) => b.durationMs - a.durationMs)
    .slice(0, MAX_SLOWEST)
  if (slowest.length === 0) return ''
  const lines = slowest.map((step) => `- ${formatTime(step.durationMs)} · ${linkStep(step)}`)
  return ['<details><summary>Slowest tests</summary>\n', ...lines, '\n</details>'].join('\n')
}

function linkStep({ name, run }: PlacedStep): string {
  return linkMarkdown(escapeMarkdown(name), run.url)
}

function formatTime(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const MAX_NAME_LENGTH = 160

/** Every character with a meaning in Markdown, HTML or bare links. */
const SIGN = /[!#$&*+:<=>@[\\\]^_`{|}~]/g

/** Characters that start a list, or a link in `www.`. */
const WORD_SIGN = /^-|(?<=^\d+|www)\./gi

/** Escapes a name so that it cannot form links, markup or the end of a table cell. */
export function escapeMarkdown(name: string): string {
  const clean = cleanName(name)
  const short = clean.length <= MAX_NAME_LENGTH ? clean : `${cutWell(clean, MAX_NAME_LENGTH - 1)}…`
  return short.replaceAll(SIGN, toEntity).replaceAll(WORD_SIGN, toEntity)
}

function toEntity(sign: string): string {
  return `&#${sign.charCodeAt(0)};`
}

/** Links Markdown text; returns the text alone if the address is not HTTP. */
export function linkMarkdown(markdown: string, url: string | undefined): string {
  const address = url === undefined ? undefined : toWebAddress(url)
  return address === undefined ? markdown : `[${markdown}](<${address}>)`
}

/** An address that is safe anywhere; undefined if it is not HTTP. */
export function toWebAddress(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { href, protocol } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  return href.replaceAll(/[<>()[\]|`\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}
