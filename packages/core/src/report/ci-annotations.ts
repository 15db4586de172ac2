import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { ErrorDetail } from '../model/error-detail'
import type { Suite } from '../model/suite'
import { formatStepName } from '../record/step-name'

/** What went wrong in a test, and where, for the pages of a CI that show code. */
export interface Annotation {
  title: string
  message: string
  /** Absolute. */
  file: string
  line: number | undefined
}

/** As many as GitHub shows of one step. */
const MAX_ANNOTATIONS = 10
const MAX_MESSAGE_LENGTH = 2_000

/** The failed tests of suites, with their last attempt's first error; suites must have been masked. */
export function listAnnotations(suites: readonly Suite[], rootDir: string): Annotation[] {
  return suites.flatMap((suite) => listFailures(suite, rootDir)).slice(0, MAX_ANNOTATIONS)
}

function listFailures(suite: Suite, rootDir: string): Annotation[] {
  const tests = suite.tests
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ titles, attempts }) => ({ title: formatStepName(titles), error: attempts.at(-1)?.errors[0] }))
  const problems = suite.problems.map(({ name, errors }) => ({ title: name, error: errors[0] }))
  return [...tests, ...problems].map(({ title, error }) => ({
    title,
    message: stripVTControlCharacters(error?.message ?? 'it failed').slice(0, MAX_MESSAGE_LENGTH),
    file: path.resolve(rootDir, suite.file),
    line: findLine(suite.file, error),
  }))
}

/** Where the suite's own file comes first in the stack. */
function findLine(file: string, error: ErrorDetail | undefined): number | undefined {
  const stack = stripVTControlCharacters(error?.stack ?? '').replaceAll('\\', '/')
  const at = stack.indexOf(`${file}:`)
  const [, line] = at === -1 ? [] : (/^:(\d+)/.exec(stack.slice(at + file.length)) ?? [])
  return line === undefined ? undefined : Number(line)
}

/** GitHub's workflow command (docs.github.com, workflow commands: setting an error message). */
export function formatGitHubError({ title, message, file, line }: Annotation): string {
  const place = [`file=${escapeProperty(file)}`, ...(line === undefined ? [] : [`line=${line}`])]
  return `::error ${[...place, `title=${escapeProperty(title)}`].join(',')}::${escapeData(message)}\n`
}

/** The logging command of Azure Pipelines (learn.microsoft.com, logging commands: LogIssue). */
export function formatAzureError({ title, message, file, line }: Annotation): string {
  const place = [`sourcepath=${escapeAzure(file)}`, ...(line === undefined ? [] : [`linenumber=${line}`])]
  return `##vso[task.logissue ${['type=error', ...place].join(';')}]${escapeAzure(`${title}: ${message}`)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

/** What ends a property or a line; the agent turns these back. */
export function escapeAzure(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll(']', '%5D').replaceAll(';', '%3B')
}
