import {
  countOutsideLimits,
  type CreateRunRequest,
  type CreateRunResponse,
  nameVerdict,
  parseDurationUs,
  readTestCounts,
  sumTestCounts,
  type TestCounts,
  type VerdictList,
} from '@runledger/protocol'

/** A run as summaries show it. Names are already masked. */
export interface RunReport {
  file: string
  project: string | undefined
  passed: boolean
  /** How many values of a run that passed are outside their limits. */
  outsideLimits: number
  counts: TestCounts
  durationMs: number
  url: string | undefined
  /** `verdict`: whether a failure is new, in words. */
  steps: { name: string; passed: boolean; durationMs: number; verdict?: string | undefined }[]
}

export function reportRun(
  request: CreateRunRequest,
  response: CreateRunResponse | undefined,
  verdicts?: VerdictList,
): RunReport {
  const variables = request.report_variables ?? {}
  const { id, url } = response ?? {}
  const ofRun = verdicts?.data.filter(({ run_id: runId }) => runId === id) ?? []
  const known = new Map(ofRun.map(({ name, verdict }) => [name, nameVerdict(verdict)]))
  return {
    file: variables['file'] ?? '',
    project: variables['project'],
    passed: request.run_passed,
    outsideLimits: request.run_passed ? countOutsideLimits(request) : 0,
    counts: readTestCounts(variables) ?? sumTestCounts([]),
    durationMs: toMs(request.duration),
    url,
    // Inner steps are not tests.
    steps: (request.steps ?? []).flatMap((step) => {
      const { name, step_passed: passed, duration } = step
      if (step.kind === 'step') return []
      return [{ name, passed, durationMs: toMs(duration), verdict: passed ? undefined : known.get(name) }]
    }),
  }
}

function toMs(duration: string): number {
  return (parseDurationUs(duration) ?? 0) / 1000
}
