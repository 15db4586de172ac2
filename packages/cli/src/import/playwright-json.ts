import type { Attachment, Attempt, ErrorDetail, OutputEntry, Problem } from '@runledger/core'
import * as z from 'zod'
import { parseShape, type ReadContext, type Results } from './results'
import { completeSuite, relateFile, type SuiteDraft, type TestDraft } from './suite-draft'
import { parseTimestamp, toDurationMs } from './times'

const text = z.string().nullish()
const LocationSchema = z.object({ file: z.string(), line: z.number(), column: z.number() }).nullish()
const ErrorSchema = z.object({
  message: text,
  stack: text,
  value: text,
  snippet: text,
  location: LocationSchema,
})
const OutputSchema = z.array(z.object({ text, buffer: text })).nullish()
const AnnotationsSchema = z.array(z.object({ type: z.string(), description: text })).nullish()
const ResultSchema = z.object({
  workerIndex: z.number().nullish(),
  status: text,
  duration: z.number().nullish(),
  startTime: text,
  error: ErrorSchema.nullish(),
  errors: z.array(ErrorSchema).nullish(),
  stdout: OutputSchema,
  stderr: OutputSchema,
  attachments: z.array(z.object({ name: z.string(), contentType: text, path: text, body: text })).nullish(),
})
const TestSchema = z.object({
  projectName: text,
  expectedStatus: text,
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: AnnotationsSchema,
  results: z.array(ResultSchema),
})
const SpecSchema = z.object({
  title: z.string(),
  file: z.string(),
  line: z.number().nullish(),
  column: z.number().nullish(),
  tags: z.array(z.string()).nullish(),
  tests: z.array(TestSchema),
})
const SuiteSchema = z.object({
  title: z.string(),
  file: text,
  specs: z.array(SpecSchema).nullish(),
  get suites() {
    return z.array(SuiteSchema).nullish()
  },
})
const ReportSchema = z.object({
  config: z.object({ version: text, rootDir: text }),
  suites: z.array(SuiteSchema),
  errors: z.array(ErrorSchema).nullish(),
  stats: z.object({ startTime: text, unexpected: z.number().nullish() }).nullish(),
})

type PlaywrightSuite = z.output<typeof SuiteSchema>
type PlaywrightSpec = z.output<typeof SpecSchema>
type PlaywrightTest = z.output<typeof TestSchema>
type PlaywrightResult = z.output<typeof ResultSchema>

/** Reads what Playwright's json reporter writes: a run for each file in each project. @throws ResultFileError */
export function readPlaywrightJson(json: object, context: ReadContext): Results {
  const { config, suites, errors, stats } = parseShape(ReportSchema, json)
  const drafts = new Map<string, SuiteDraft>()
  for (const { spec, titles } of suites.flatMap((suite) => listSpecs(suite, []))) {
    for (const test of spec.tests) {
      const { projectName } = test
      const file = relateFile(spec.file, config.rootDir ?? context.projectRoot)
      const key = JSON.stringify([projectName, file])
      const draft = drafts.get(key) ?? { project: projectName ?? '', file, tests: [] }
      drafts.set(key, draft)
      draft.tests.push(mapTest(test, { spec, titles, context }))
    }
  }
  const all = [...drafts.values(), ...mapExecution(errors ?? [], stats?.startTime, context)]
  return {
    framework: 'playwright',
    frameworkVersion: config.version ?? undefined,
    suites: all.map((draft) => completeSuite(withSpan(draft), context)),
  }
}

/** The outermost suite is the file. */
function listSpecs(
  { specs, suites }: PlaywrightSuite,
  titles: readonly string[],
): { spec: PlaywrightSpec; titles: readonly string[] }[] {
  return [
    ...(specs ?? []).map((spec) => ({ spec, titles })),
    ...(suites ?? []).flatMap((inner) => listSpecs(inner, [...titles, inner.title])),
  ]
}

/** Errors that belong to no test make a run of their own. */
function mapExecution(
  errors: readonly z.output<typeof ErrorSchema>[],
  startTime: string | null | undefined,
  { fileName, isLocalTime }: ReadContext,
): SuiteDraft[] {
  if (errors.length === 0) return []
  const startedAtMs = parseTimestamp(startTime ?? undefined, isLocalTime)
  const problems: Problem[] = errors.map((error) => ({ name: 'Execution', errors: [mapError(error)] }))
  return [{ file: fileName, startedAtMs, tests: [], problems }]
}

function withSpan(draft: SuiteDraft): SuiteDraft {
  let [startedAtMs, endedAtMs] = [Infinity, -Infinity]
  for (const { startedAtMs: atMs, durationMs = 0 } of draft.tests.flatMap(({ attempts }) => attempts)) {
    if (atMs === undefined) continue
    startedAtMs = Math.min(startedAtMs, atMs)
    endedAtMs = Math.max(endedAtMs, atMs + durationMs)
  }
  return startedAtMs === Infinity ? draft : { ...draft, startedAtMs, durationMs: endedAtMs - startedAtMs }
}

interface TestPlace {
  spec: PlaywrightSpec
  titles: readonly string[]
  context: ReadContext
}

function mapTest(test: PlaywrightTest, { spec, titles, context }: TestPlace): TestDraft {
  const { status, results } = test
  const attempts = results.map((result) => mapResult(result, context))
  const annotations = test.annotations ?? []
  const described = annotations.flatMap(({ type, description }) =>
    description ? [{ type, description }] : [],
  )
  const outcome = findOutcome(test)
  return {
    titles: [...titles, spec.title].filter((title) => title !== ''),
    outcome,
    flaky: status === 'flaky',
    startedAtMs: attempts[0]?.startedAtMs,
    durationMs: attempts[0]?.durationMs,
    attempts:
      outcome === 'skipped'
        ? attempts.filter(({ errors, output }) => errors.length + output.length > 0)
        : attempts,
    location: { file: spec.file, line: spec.line ?? undefined, column: spec.column ?? undefined },
    tags: [
      ...(spec.tags ?? []).map((tag) => (tag.startsWith('@') ? tag : `@${tag}`)),
      ...annotations.map(({ type }) => type),
    ],
    annotations: described,
    owner: described.find(({ type }) => type === 'owner')?.description,
    skipReason: described.find(({ type }) => type === 'skip' || type === 'fixme')?.description,
  }
}

function findOutcome({ status, results }: PlaywrightTest): TestDraft['outcome'] {
  if (status !== 'skipped') return status === 'unexpected' ? 'failed' : 'passed'
  return results.length === 0 || results.some((each) => each.status === 'interrupted') ? 'not-run' : 'skipped'
}

function mapResult(result: PlaywrightResult, context: ReadContext): Attempt {
  const { error, errors, status, duration, startTime, workerIndex } = result
  const first = error ? mapError(error) : undefined
  // The first of the list is `error` again, with less.
  const others = (errors ?? []).slice(first ? 1 : 0).map(mapError)
  return {
    status: status ?? 'unknown',
    startedAtMs: parseTimestamp(startTime ?? undefined, context.isLocalTime),
    durationMs: toDurationMs(duration),
    worker: typeof workerIndex === 'number' && workerIndex >= 0 ? workerIndex : undefined,
    errors: first ? [first, ...others] : others,
    output: [...mapOutput('stdout', result.stdout), ...mapOutput('stderr', result.stderr)],
    attachments: (result.attachments ?? []).flatMap((each) => mapAttachment(each, context)),
  }
}

function mapError({ message, stack, value, snippet, location }: z.output<typeof ErrorSchema>): ErrorDetail {
  return {
    message: message ?? value ?? 'no message',
    stack: stack ?? undefined,
    snippet: snippet ?? undefined,
    location: location ?? undefined,
  }
}

function mapOutput(stream: OutputEntry['stream'], entries: z.output<typeof OutputSchema>): OutputEntry[] {
  const texts = (entries ?? []).map(
    (entry) => entry.text ?? Buffer.from(entry.buffer ?? '', 'base64').toString(),
  )
  const joined = texts.join('')
  return joined === '' ? [] : [{ stream, text: joined }]
}

type PlaywrightAttachment = NonNullable<PlaywrightResult['attachments']>[number]

function mapAttachment(
  { name, contentType, path, body }: PlaywrightAttachment,
  { attachments: finder }: ReadContext,
): Attachment[] {
  const type = contentType ?? undefined
  if (typeof body === 'string') return [{ name, contentType: type, bytes: Buffer.from(body, 'base64') }]
  return typeof path !== 'string' ? [] : finder.find({ name, file: path, contentType: type })
}
