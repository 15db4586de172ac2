import type { Attachment, Attempt, ErrorDetail, OutputEntry } from '@runledger/core'
import * as z from 'zod'
import { parseShape, type ReadContext, type Results } from './results'
import { completeSuite, relateFile, type SuiteDraft, type TestDraft } from './suite-draft'
import { toAtMs, toDurationMs } from './times'

const text = z.string().nullish()
const number = z.number().nullish()
/** Some reporters write `null`, or a single text, where the specification has a list. */
const texts = z.union([z.array(z.string()), z.string().transform((each) => [each])]).nullish()
const AttachmentsSchema = z.array(z.object({ name: text, contentType: text, path: z.string() })).nullish()
const TrySchema = z.object({
  status: z.string(),
  duration: number,
  start: number,
  message: text,
  trace: text,
  snippet: text,
  stdout: texts,
  stderr: texts,
  attachments: AttachmentsSchema,
})
const TestSchema = TrySchema.extend({
  name: z.string(),
  rawStatus: text,
  suite: texts,
  filePath: text,
  line: number,
  tags: texts,
  browser: text,
  flaky: z.boolean().nullish(),
  retries: number,
  retryAttempts: z.array(TrySchema).nullish(),
  labels: z.record(z.string(), z.unknown()).nullish(),
  /** Which run a test is of, where this program wrote the report. */
  extra: z
    .object({ run: text.catch(undefined) })
    .nullish()
    .catch(undefined),
})
const ReportSchema = z.object({
  results: z.object({
    tool: z.object({ name: z.string(), version: text }),
    summary: z.object({ failed: number, start: number, stop: number }),
    tests: z.array(TestSchema),
    environment: z.record(z.string(), z.unknown()).nullish(),
  }),
})

type CtrfTest = z.output<typeof TestSchema>
type CtrfTry = z.output<typeof TrySchema>
type CtrfResults = z.output<typeof ReportSchema>['results']

/** Reads a report in the Common Test Report Format (ctrf.io). @throws ResultFileError */
export function readCtrf(json: object, context: ReadContext): Results {
  const { results } = parseShape(ReportSchema, json)
  const { tool, tests } = results
  const byFile = new Map<string, SuiteDraft>()
  for (const test of tests) {
    const file = test.filePath ? relateFile(test.filePath, context.projectRoot) : ''
    const { project, titles } = splitSuites(test, file)
    const key = JSON.stringify([project, file, test.extra?.run])
    const draft = byFile.get(key) ?? createDraft({ project, file }, results, context)
    byFile.set(key, draft)
    draft.tests.push(mapTest(test, { file, titles, context }))
  }
  const drafts = [...byFile.values()]
  addUnexplained(drafts, results, context)
  // Of several files the report has no times.
  if (drafts.length === 1 && drafts[0]) Object.assign(drafts[0], readSpan(results))
  return {
    framework: tool.name,
    frameworkVersion: tool.version ?? undefined,
    suites: drafts.map((draft) => completeSuite(draft, context)),
  }
}

function createDraft(
  { project, file }: { project?: string | undefined; file: string },
  { environment }: CtrfResults,
  { fileName }: ReadContext,
): SuiteDraft {
  const known = Object.entries(environment ?? {}).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return {
    project,
    file: file || fileName,
    tests: [],
    variables: Object.fromEntries(known.map(([name, value]) => [name, String(value)])),
  }
}

/** A report that counts more failures than it names is failed all the same. */
function addUnexplained(drafts: SuiteDraft[], results: CtrfResults, context: ReadContext): void {
  const count = results.summary.failed ?? 0
  const named = drafts.flatMap(({ tests }) => tests.filter(({ outcome }) => outcome === 'failed')).length
  if (!(count > named)) return
  const message = `the report counts ${count} failed, and names ${named} that failed`
  // A run of its own: nothing tells in which file they failed.
  const draft = createDraft({ file: '' }, results, context)
  drafts.push({ ...draft, problems: [{ name: 'Failures without a test', errors: [{ message }] }] })
}

function readSpan({ summary }: CtrfResults): Pick<SuiteDraft, 'startedAtMs' | 'durationMs'> {
  const startedAtMs = toAtMs(summary.start)
  const stoppedAtMs = toAtMs(summary.stop)
  if (startedAtMs === undefined || stoppedAtMs === undefined) return { startedAtMs }
  return { startedAtMs, durationMs: toDurationMs(stoppedAtMs - startedAtMs) }
}

/** What tools write, most of them beside the status `other`, for a test that ran and did not pass. */
const FAILED_WORD = /^(?:error(?:ed)?|broken|timed[ _-]?out|timeout|crashed)$/i

function readOutcome({ status, rawStatus }: CtrfTest): TestDraft['outcome'] {
  if (rawStatus === 'todo') return 'todo'
  const known = OUTCOMES.get(status)
  if (known !== undefined) return known
  return [status, rawStatus].some((word) => FAILED_WORD.test(word ?? '')) ? 'failed' : 'not-run'
}

const OUTCOMES = new Map<string, TestDraft['outcome']>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
])

function mapTest(
  test: CtrfTest,
  { file, titles, context }: { file: string; titles: string[]; context: ReadContext },
): TestDraft {
  const { status, rawStatus, name, line, tags, retries } = test
  const outcome = readOutcome(test)
  const hasRun = outcome === 'passed' || outcome === 'failed'
  const earlier = (test.retryAttempts ?? []).map((each) => mapTry(each, context))
  // A flaky test failed at least once before it passed.
  const failed = Math.max(Math.min(retries ?? 0, MAX_RETRIES), test.flaky === true ? 1 : 0)
  const missing = Math.max(0, failed - earlier.length)
  const unrecorded = Array.from({ length: missing }, () => mapTry({ status: 'failed' } as CtrfTry, context))
  const attempts = hasRun ? [...earlier, ...unrecorded, mapTry({ ...test, status: outcome }, context)] : []
  return {
    titles: [...titles, name],
    outcome,
    flaky: outcome === 'passed' && attempts.slice(0, -1).some((each) => each.status === 'failed'),
    startedAtMs: toAtMs(test.start),
    durationMs: toDurationMs(test.duration),
    attempts,
    location: file && typeof line === 'number' ? { file, line } : undefined,
    tags: tags?.length ? tags : undefined,
    skipReason: outcome === 'skipped' ? (test.message ?? undefined) : undefined,
    note: outcome === 'not-run' ? (test.message ?? `status ${rawStatus ?? status}`) : undefined,
    annotations: mapLabels(test),
  }
}

/** Of retries that the file only counts. */
const MAX_RETRIES = 20

/** A test's suites begin with the project, then the file; the titles after it may be part of the test's name already. */
function splitSuites(
  { suite, name }: CtrfTest,
  file: string,
): { project: string | undefined; titles: string[] } {
  const all = (suite ?? []).flatMap((title) => title.split(' > ')).filter((title) => title !== '')
  const place = all.findIndex((title) => file !== '' && (file === title || file.endsWith(`/${title}`)))
  const titles = all.slice(place + 1)
  return { project: all[place - 1], titles: name.startsWith(`${titles.join(' ')} `) ? [] : titles }
}

function mapTry(each: CtrfTry, { attachments: finder }: ReadContext): Attempt {
  const { status, message, trace, snippet } = each
  const isFailed = status === 'failed'
  const error: ErrorDetail = {
    message: message || trace?.split('\n', 1)[0] || 'no message',
    stack: trace || undefined,
    snippet: snippet ?? undefined,
  }
  const output: OutputEntry[] = (['stdout', 'stderr'] as const).flatMap((stream) => {
    const joined = (each[stream] ?? []).map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('')
    return joined === '' ? [] : [{ stream, text: joined }]
  })
  const attachments: Attachment[] = (each.attachments ?? []).flatMap(({ name, contentType, path }) =>
    finder.find({ name: name ?? undefined, contentType: contentType ?? undefined, file: path }),
  )
  return {
    status,
    startedAtMs: toAtMs(each.start),
    durationMs: toDurationMs(each.duration),
    errors: isFailed && (message || trace) ? [error] : [],
    output,
    attachments,
  }
}

function mapLabels({ labels, browser }: CtrfTest): TestDraft['annotations'] {
  const all = Object.entries({ ...labels, ...(browser && { browser }) })
  return all.map(([type, value]) => ({
    type,
    description: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}
