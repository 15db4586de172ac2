import { CreateRunRequestSchema } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { escapeMarkdown, formatJobSummary, linkMarkdown } from './job-summary'
import { reportRun, type RunReport } from './run-report'

function createReport(over: Partial<RunReport> = {}): RunReport {
  return {
    file: 'src/a.test.ts',
    project: undefined,
    passed: true,
    outsideLimits: 0,
    counts: { passed: 2, failed: 0, skipped: 1, flaky: 0, errors: 0 },
    durationMs: 1234,
    url: 'https://ledger.example/runs/1',
    steps: [{ name: 'quick', passed: true, durationMs: 5 }],
    ...over,
  }
}

const SUMMARY = {
  framework: 'vitest 4.1.12',
  url: 'https://ledger.example/groups/g',
  trouble: '',
  failures: [],
}

it('shows outcome, counts, failed and slowest tests, with links', () => {
  const failed = createReport({
    file: 'src/b.test.ts',
    project: 'web',
    passed: false,
    counts: { passed: 1, failed: 1, skipped: 0, flaky: 1, errors: 0 },
    durationMs: 61_000,
    url: undefined,
    steps: [
      { name: 'login › fails', passed: false, durationMs: 60_500 },
      { name: 'waits', passed: true, durationMs: 400 },
    ],
  })
  expect(formatJobSummary({ ...SUMMARY, verdicts: [true, false], reports: [createReport(), failed] }))
    .toBe(`### vitest 4.1.12: ❌ 1 of 2 runs failed

[Open on Runledger](<https://ledger.example/groups/g>)

| Suite | Passed | Failed | Skipped | Flaky | Time |
| --- | --: | --: | --: | --: | --: |
| ❌ web › src/b.test.ts | 1 | 1 | 0 | 1 | 1 min 1 s |
| ✅ [src/a.test.ts](<https://ledger.example/runs/1>) | 2 | 0 | 1 | 0 | 1.2 s |
| **All** | 3 | 1 | 1 | 1 | 1 min 2 s |

**Failed**

- login › fails · src/b.test.ts

<details><summary>Slowest tests</summary>

- 1 min 1 s · login › fails
- 400 ms · waits

</details>
`)
})

it('has a column for errors outside of tests where there are some', () => {
  const counts = { passed: 2, failed: 0, skipped: 0, flaky: 0, errors: 1 }
  const summary = formatJobSummary({
    ...SUMMARY,
    verdicts: [false],
    reports: [createReport({ passed: false, counts })],
  })
  expect(summary).toContain('| Skipped | Flaky | Errors outside of tests | Time |')
  expect(summary).toContain('| 2 | 0 | 0 | 0 | 1 | 1.2 s |')
})

it('says that nothing went wrong, and what was not sent', () => {
  const summary = formatJobSummary({
    ...SUMMARY,
    url: undefined,
    trouble: 'no response',
    verdicts: [true],
    reports: [createReport()],
  })
  expect(summary).toMatch(/^### vitest 4\.1\.12: ✅ 1 run passed\n\n> no response\n\n\| Suite/)
})

it('says what is missing of a build, which is not green then', () => {
  const missing = ['shard 3 of 4 has not reported']
  const format = (state: 'running' | 'incomplete' | 'passed', clauses: string[]) =>
    formatJobSummary({
      ...SUMMARY,
      verdicts: [true],
      reports: [createReport()],
      build: { group: 'g', url: SUMMARY.url, state, missing: clauses },
    })
  expect(format('incomplete', missing)).toContain('### vitest 4.1.12: ⚠️ 1 run passed')
  expect(format('incomplete', missing)).toContain(
    '> ⚠️ **Build incomplete**\n>\n> - shard 3 of 4 has not reported',
  )
  expect(format('running', missing)).toContain('> ⏳ **Build running**\n>\n> - shard 3 of 4 has not reported')
  expect(format('passed', [])).not.toContain('Build')
})

it('reports values outside their limits in runs that passed', () => {
  const reports = [createReport({ outsideLimits: 2 }), createReport({ file: 'src/b.test.ts' })]
  const summary = formatJobSummary({ ...SUMMARY, verdicts: [true, true], reports })
  expect(summary).toMatch(/^### vitest 4\.1\.12: ✅ 2 runs passed, 2 measurements outside their limits\n/)
  expect(summary).toContain(
    '| ✅ [src/a.test.ts](<https://ledger.example/runs/1>), 2 measurements outside their limits | 2 |',
  )
  const failed = createReport({ passed: false })
  const mixed = formatJobSummary({ ...SUMMARY, verdicts: [true, false], reports: [...reports, failed] })
  expect(mixed).toMatch(/^### vitest 4\.1\.12: ❌ 1 of 2 runs failed\n/)
})

it('counts runs that could not be made, and has no table without runs', () => {
  const trouble = 'option procedureId could not be worked out'
  const summary = formatJobSummary({
    ...SUMMARY,
    url: undefined,
    trouble,
    verdicts: [true, false],
    reports: [],
  })
  expect(summary).toBe(`### vitest 4.1.12: ❌ 1 of 2 runs failed\n\n> ${trouble}\n`)
})

it('stays short for an execution of any size', () => {
  const steps = Array.from({ length: 400 }, (_, n) => ({
    name: '|'.repeat(400) + n,
    passed: false,
    durationMs: 500,
  }))
  const reports = Array.from({ length: 500 }, () => createReport({ passed: false, steps }))
  const summary = formatJobSummary({ ...SUMMARY, verdicts: reports.map(() => false), reports })
  expect(Buffer.byteLength(summary)).toBeLessThan(64 * 1024)
  expect(summary).toContain('… and 450 more')
})

const HOSTILE = [
  'a | b',
  '<script>alert(1)</script> <!-- </details>',
  '[x](javascript:alert(1)) ![y](http://evil/z)',
  '`code` **bold** _em_ ~~gone~~ # h',
  'line\n\n# heading\n| a | b |',
  'https://evil.example and www.evil.example and me@evil.example',
  '- list',
  '1. list',
  '&lt;b&gt; \\| \\',
  '@acme/team #1 acme/widget#2',
  ']( <x> )',
]

it.each(HOSTILE)('shows the name %j as it is', (name) => {
  const escaped = escapeMarkdown(name)
  expect(escaped).not.toMatch(/[|<>[\]`*_~\\@\n]|^[-#+]|^\d+\.|:\/\/|www\./)
  const shown = escaped.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
  expect(shown).toBe(name.replaceAll(/\s+/g, ' '))
})

it.each([
  ['javascript:alert(1)', 'x'],
  ['nonsense', 'x'],
  ['https://h/a b>)[|]', '[x](<https://h/a%20b%3E%29%5B%7C%5D>)'],
])('links %j as %s', (url, expected) => {
  expect(linkMarkdown('x', url)).toBe(expected)
})

it('names no step inside a test, such as those of an earlier attempt of one that passed', () => {
  const times = { started_at: '2026-01-01T00:00:00.000Z', duration: 'PT1S' }
  const request = CreateRunRequestSchema.parse({
    ...times,
    procedure_id: 'FVT1',
    run_passed: true,
    unit_under_test: { serial_number: 'SN-1' },
    steps: [
      { ...times, name: 'pays', step_passed: true, kind: 'test' },
      { ...times, name: 'pays › Attempt 1 of 2', step_passed: false, kind: 'step' },
    ],
  })
  expect(reportRun(request, undefined).steps.map(({ name }) => name)).toEqual(['pays'])
})
