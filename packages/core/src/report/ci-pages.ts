import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Environment } from '../config/options'
import type { SourceLocation } from '../model/error-detail'
import type { Suite } from '../model/suite'
import { formatStepName } from '../record/step-name'
import { formatHeading, formatJobSummary, type JobSummary, toWebAddress } from './job-summary'

export interface CiOutput {
  env: Environment
  options: {
    summary: boolean
    annotations: boolean
    outputFile: string | undefined
    linksFile: string | undefined
  }
  print: (text: string) => void
}

export interface CiReport extends JobSummary {
  /** Already masked. */
  suites: readonly Suite[]
  rootDir: string
}

/** GitHub drops a longer summary whole. */
const GITHUB_SUMMARY_BYTES = 1024 * 1024

/** Writes to the pages of GitHub, GitLab and Azure. Several executions of a job append. Never throws. */
export function writeCiPages(account: CiReport, { env, options, print }: CiOutput): void {
  const inRoot = (file: string): string => path.resolve(account.rootDir, file)
  const { GITHUB_STEP_SUMMARY: summaryFile, GITHUB_OUTPUT: githubOutput } = env
  const url = account.url && toWebAddress(account.url)
  if (options.summary) {
    if (summaryFile) attempt(() => appendSummary(summaryFile, account))
    if (githubOutput && url) attempt(() => appendLine(githubOutput, `runUrl=${url}`))
    if (env['TF_BUILD']) attempt(() => writeAzurePage(account, { url, env, print }))
  }
  const { outputFile, linksFile } = options
  if (outputFile !== undefined && url) attempt(() => appendLine(inRoot(outputFile), `runUrl=${url}`))
  if (linksFile !== undefined && url) attempt(() => addLink(inRoot(linksFile), account.framework, url))
  if (options.annotations) attempt(() => annotate(account, env, print))
}

function attempt(write: () => void): void {
  try {
    write()
  } catch {
    // A missing table must not disturb the execution.
  }
}

function appendSummary(file: string, summary: JobSummary): void {
  const taken = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const versions = [formatJobSummary(summary), `${formatHeading(summary)}\n\n`]
  const fitting = versions.find((text) => taken + Buffer.byteLength(text) + 2 < GITHUB_SUMMARY_BYTES)
  if (fitting !== undefined) appendFileSync(file, taken > 0 ? `\n\n${fitting}` : fitting)
}

/** Ends an open line first. */
function appendLine(file: string, line: string): void {
  const before = statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8') : ''
  appendFileSync(file, `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`)
}

/** A table on the build's page, and the link for later steps. The agent reads commands in all output. */
function writeAzurePage(
  account: CiReport,
  { url, env, print }: { url: string | undefined; env: Environment; print: CiOutput['print'] },
): void {
  if (url) print(`##vso[task.setvariable variable=runUrl;isOutput=true]${escapeAzure(url)}\n`)
  const folder = env['AGENT_TEMPDIRECTORY']
  if (!folder) return
  const file = path.join(folder, `runledger-${randomUUID()}.md`)
  writeFileSync(file, formatJobSummary(account))
  print(`##vso[task.uploadsummary]${escapeAzure(file)}\n`)
}

type LinksReport = Record<string, { external_link: { label: string; url: string } }[]>

/** GitLab's report of links (docs.gitlab.com, `artifacts:reports:annotations`). */
function addLink(file: string, framework: string, url: string): void {
  const before = statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8') : '{}'
  const report = JSON.parse(before) as LinksReport
  const links = [...(report['Runledger'] ?? []), { external_link: { label: framework, url } }]
  writeFileSync(file, `${JSON.stringify({ ...report, Runledger: links }, null, 2)}\n`)
}

function annotate(account: CiReport, env: Environment, print: CiOutput['print']): void {
  const format = env['GITHUB_ACTIONS'] ? formatGitHubError : env['TF_BUILD'] ? formatAzureError : undefined
  if (format === undefined) return
  for (const annotation of listAnnotations(account.suites, account.rootDir)) print(format(annotation))
}

interface Annotation {
  title: string
  message: string
  file: string
  line?: number | undefined
}

/** GitHub shows this many for one step. */
const MAX_ANNOTATIONS = 10
const MAX_MESSAGE_LENGTH = 2_000

/** Failed tests, with the first error of their last attempt. */
function listAnnotations(suites: readonly Suite[], rootDir: string): Annotation[] {
  const failures = suites.flatMap(({ tests, problems, file: suiteFile }) => [
    ...tests
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ titles, attempts, location = { file: suiteFile } }) => {
        return { title: formatStepName(titles), error: attempts.at(-1)?.errors[0], location }
      }),
    ...problems.map(({ name, errors }) => ({ title: name, error: errors[0], location: { file: suiteFile } })),
  ])
  return failures.slice(0, MAX_ANNOTATIONS).map(({ title, error, location }) => {
    const { file, line }: Pick<SourceLocation, 'file'> & Partial<SourceLocation> = error?.location ?? location
    const message = stripVTControlCharacters(error?.message ?? 'it failed').slice(0, MAX_MESSAGE_LENGTH)
    return { title, message, file: path.resolve(rootDir, file), line }
  })
}

/** docs.github.com, workflow commands: setting an error message. */
function formatGitHubError({ title, message, file, line }: Annotation): string {
  const place = [`file=${escapeProperty(file)}`, ...(line === undefined ? [] : [`line=${line}`])]
  return `::error ${[...place, `title=${escapeProperty(title)}`].join(',')}::${escapeData(message)}\n`
}

/** learn.microsoft.com, logging commands: LogIssue. */
function formatAzureError({ title, message, file, line }: Annotation): string {
  const place = [`sourcepath=${escapeAzure(file)}`, ...(line === undefined ? [] : [`linenumber=${line}`])]
  return `##vso[task.logissue ${['type=error', ...place].join(';')}]${escapeAzure(`${title}: ${message}`)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** These characters end a property or a line; the agent restores them. */
function escapeAzure(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll(']', '%5D').replaceAll(';', '%3B')
}
