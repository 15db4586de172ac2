import { type RunDetail, type TestError } from '@runledger/protocol'
import { OBEYED } from '@runledger/presentation'
import { type ExportedTest, mapExportedRun } from './exported-test'

/** JUnit XML as `runledger import` reads it again: a `<testsuite>` for each run. */
export async function* writeJUnit(runs: AsyncIterable<RunDetail>): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="runledger">\n'
  for await (const run of runs) yield writeRun(run)
  yield '</testsuites>\n'
}

function writeRun(run: RunDetail): string {
  const { file, startedAtMs, durationMs, tests } = mapExportedRun(run)
  const count = (outcome: ExportedTest['outcome']): number =>
    tests.filter((test) => test.outcome === outcome).length
  const attributes = {
    name: file,
    timestamp: new Date(startedAtMs).toISOString(),
    time: toSeconds(durationMs),
    tests: tests.length,
    failures: count('failed'),
    errors: 0,
    skipped: count('skipped'),
  }
  const properties = Object.entries({
    ...run.metadata,
    run_id: run.id,
    procedure: run.procedure.name,
    serial_number: run.unit.serial_number,
  })
  return [
    `  <testsuite${writeAttributes(attributes)}>\n`,
    writeProperties(properties.map(([name, value]) => [name, String(value)])),
    ...tests.map((test) => writeTest(test, file)),
    '  </testsuite>\n',
  ].join('')
}

function writeTest(
  { titles, outcome, durationMs, errors, earlier, skipReason, startedAtMs, facts }: ExportedTest,
  file: string,
): string {
  const attributes = {
    name: titles.join(' › '),
    classname: file,
    time: toSeconds(durationMs),
    timestamp: startedAtMs === undefined ? undefined : new Date(startedAtMs).toISOString(),
    file: facts.location?.file,
    line: facts.location?.line,
  }
  const annotations = (facts.annotations ?? []).map(({ type, description }): [string, string] => [
    type,
    description,
  ])
  const tags = (facts.tags ?? []).map((tag): [string, string] => [tag, ''])
  const owner: [string, string][] =
    facts.owner === undefined || annotations.some(([type]) => type === 'owner')
      ? []
      : [['owner', facts.owner]]
  const tries = [...earlier.map((each) => each.errors), errors]
  const body = [
    writeProperties([...annotations, ...owner, ...tags]),
    ...(outcome === 'skipped' ? [`<skipped${writeAttributes({ message: skipReason })}/>\n`] : []),
    ...(outcome === 'failed'
      ? writeFailed(tries)
      : earlier.filter(({ isFailed }) => isFailed).map((each) => writeRerun('flakyFailure', each.errors))),
  ].join('')
  return `    <testcase${writeAttributes(attributes)}${body === '' ? '/>\n' : `>\n${body}    </testcase>\n`}`
}

/** As Surefire does: the first try, then its reruns. */
function writeFailed([first = [], ...reruns]: (readonly TestError[])[]): string[] {
  const errors = first.length === 0 ? [undefined] : first
  return [
    ...errors.map(
      (error) =>
        `<failure${writeAttributes({ message: error?.message ?? '' })}>${escape(error?.stack ?? '')}</failure>\n`,
    ),
    ...reruns.map((each) => writeRerun('rerunFailure', each)),
  ]
}

function writeRerun(name: string, [error]: readonly TestError[]): string {
  return `<${name}${writeAttributes({ message: error?.message ?? '' })}><stackTrace>${escape(error?.stack ?? '')}</stackTrace></${name}>\n`
}

function writeProperties(properties: readonly [name: string, value: string][]): string {
  if (properties.length === 0) return ''
  const lines = properties.map(([name, value]) => `<property${writeAttributes({ name, value })}/>\n`)
  return `<properties>\n${lines.join('')}</properties>\n`
}

function writeAttributes(attributes: Record<string, string | number | undefined>): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) => (value === undefined ? [] : ` ${name}="${escape(String(value))}"`))
    .join('')
}

function toSeconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3)
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

/** Removes characters that XML forbids or that a terminal obeys. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(OBEYED, '\uFFFD')
    .replace(
      /[&<>"\n\r\t]|[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g,
      (found) => ESCAPES[found] ?? '\uFFFD',
    )
}
