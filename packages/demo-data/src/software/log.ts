import { formatDurationMs, formatTimestampMs } from '@runledger/protocol'
import { type ExecutedTest, isFlaky, isPassed, mapError, sumDurations } from './map-test'

interface LoggedSuite {
  framework: string
  project: string
  file: string
  startedAtMs: number
  durationMs: number
  tests: readonly ExecutedTest[]
}

export function formatLog(suite: LoggedSuite): string {
  const { tests } = suite
  const failed = tests.filter((test) => !isPassed(test)).length
  const flaky = tests.filter(isFlaky).length
  const flakyPart = flaky > 0 ? ` (${flaky} flaky)` : ''
  return [
    `suite      ${suite.file}`,
    ...(suite.project === '' ? [] : [`project    ${suite.project}`]),
    `framework  ${suite.framework}`,
    `outcome    ${failed > 0 ? 'failed' : 'passed'}`,
    `started    ${formatTimestampMs(suite.startedAtMs)}`,
    `duration   ${formatDurationMs(suite.durationMs)}`,
    `tests      ${tests.length - failed} passed${flakyPart}, ${failed} failed`,
    '',
    ...tests.flatMap((test) => formatTest(test, suite.file)),
    '',
  ].join('\n')
}

function formatTest(executed: ExecutedTest, file: string): string[] {
  const { test, decision, durationsMs } = executed
  const mark = isPassed(executed) ? '✓ passed' : '✗ failed'
  const facts = [
    `${Math.round(sumDurations(executed))} ms`,
    durationsMs.length > 1 ? `${durationsMs.length} attempts` : '',
    isFlaky(executed) ? 'flaky' : '',
  ]
  const head = `${mark}  ${test.name} (${facts.filter(Boolean).join(', ')})`
  if (!decision) return [head]
  const { message, snippet = '', stack = '' } = mapError(decision.failure, { file, line: test.spec.line })
  const error = `${message}\n${snippet}\n${stack}`.split('\n').map((line) => `      ${line}`)
  const attempts = durationsMs.flatMap((durationMs, index) => {
    const hasFailed = index < decision.failedAttempts
    const own = `    attempt ${index + 1}: ${hasFailed ? 'failed' : 'passed'} (${Math.round(durationMs)} ms)`
    return [...(durationsMs.length > 1 ? [own] : []), ...(hasFailed ? error : [])]
  })
  return [head, ...attempts]
}
