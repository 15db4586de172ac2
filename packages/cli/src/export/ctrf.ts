import type { RunDetail, TestError } from '@runledger/protocol'
import { formatJson } from '../output'
import { type ExportedSuite, type ExportedTest, mapExportedRun, textOf } from './exported-test'

/** A report in the Common Test Report Format (ctrf.io). Its summary comes last: nothing is held back for it. */
export async function* writeCtrf(runs: AsyncIterable<RunDetail>): AsyncGenerator<string> {
  const totals = { passed: 0, failed: 0, skipped: 0 }
  const tools = new Set<string>()
  let [tests, start, stop] = [0, Infinity, -Infinity]
  yield '{"reportFormat":"CTRF","specVersion":"0.0.0","generatedBy":"runledger","results":{"tests":['
  for await (const run of runs) {
    const suite = mapExportedRun(run)
    tools.add(textOf(run.metadata['framework']) ?? 'runledger')
    start = Math.min(start, suite.startedAtMs)
    stop = Math.max(stop, suite.startedAtMs + suite.durationMs)
    for (const test of suite.tests) {
      totals[test.outcome] += 1
      // Several runs may be of one file.
      const mapped = { ...mapTest(test, suite), extra: { run: run.id } }
      yield `${tests === 0 ? '' : ','}\n${formatJson(mapped)}`
      tests += 1
    }
  }
  const [tool = 'runledger', ...others] = tools
  const times = tests === 0 ? { start: 0, stop: 0 } : { start, stop }
  const summary = { tests, ...totals, pending: 0, other: 0, ...times }
  const name = others.length === 0 ? tool : 'runledger'
  yield `\n],"summary":${formatJson(summary)},"tool":${formatJson({ name })}}}\n`
}

function mapTest(test: ExportedTest, { file, project }: ExportedSuite): object {
  const { titles, outcome, durationMs, startedAtMs, errors, earlier, skipReason, facts } = test
  return {
    name: titles.at(-1),
    status: outcome,
    duration: durationMs,
    start: startedAtMs,
    stop: startedAtMs === undefined ? undefined : startedAtMs + durationMs,
    suite: [...(project === '' ? [] : [project]), file, ...titles.slice(0, -1)],
    filePath: file,
    line: facts.location?.line,
    tags: facts.tags,
    ...(outcome === 'skipped' ? { message: skipReason } : mapErrors(errors)),
    retries: earlier.length,
    flaky: outcome === 'passed' && earlier.some(({ isFailed }) => isFailed),
    retryAttempts:
      earlier.length === 0
        ? undefined
        : earlier.map((each, index) => ({
            attempt: index + 1,
            status: each.isFailed ? 'failed' : 'passed',
            start: each.startedAtMs,
            ...mapErrors(each.errors),
          })),
  }
}

/** A test has room for one error: further ones follow in its trace. */
function mapErrors([first, ...others]: readonly TestError[]): object {
  if (first === undefined) return {}
  const rest = others.map(({ message, stack }) => stack ?? message)
  const trace = [first.stack, ...rest].filter(Boolean).join('\n\n')
  return { message: first.message, trace: trace || undefined, snippet: first.snippet }
}
