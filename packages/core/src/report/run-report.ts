import { parseDurationUs, type CreateRunRequest } from '@runledger/protocol'
import type { RunDelivery } from '../delivery/run-delivery'

/** What summaries tell of one run. Names are as they are on record: without secrets. */
export interface RunReport {
  file: string
  project: string | undefined
  passed: boolean
  /** Tests by what became of them. */
  counts: { passed: number; failed: number; skipped: number; flaky: number }
  durationMs: number
  /** Where the run is on record; absent when it is not. */
  url: string | undefined
  steps: { name: string; passed: boolean; durationMs: number }[]
}

/** A run as it was to be sent, in JSON, and what became of it. */
export function reportRun(requestJson: Uint8Array, delivery: RunDelivery): RunReport {
  const request = JSON.parse(Buffer.from(requestJson).toString('utf8')) as CreateRunRequest
  const variables = request.report_variables ?? {}
  const count = (name: string): number => Number(variables[`tests_${name}`] ?? 0)
  return {
    file: variables['file'] ?? '',
    project: variables['project'],
    passed: request.run_passed,
    counts: {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      flaky: count('flaky'),
    },
    durationMs: toMs(request.duration),
    url: delivery.status === 'delivered' ? delivery.answer.url : undefined,
    steps: (request.steps ?? []).map(({ name, step_passed, duration }) => ({
      name,
      passed: step_passed,
      durationMs: toMs(duration),
    })),
  }
}

function toMs(duration: string): number {
  return (parseDurationUs(duration) ?? 0) / 1000
}
