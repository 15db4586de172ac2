import type { Problem, Suite, SuiteTest } from '@runledger/core'

interface MappedExecution {
  suites: readonly Suite[]
  problems: readonly Problem[]
}

/**
 * What a mapping gave core, every field of it, as lines for people to judge: suites by project and file, below each
 * its tests with their attempts, its problems and its output. Fields are in the order of their names.
 */
export function renderRecord({ suites, problems }: MappedExecution): string {
  const sorted = [...suites].sort((a, b) => compare([a.file, a.project], [b.file, b.project]))
  return [...sorted.flatMap(renderSuite), ...problems.map((each) => line(0, 'execution problem', each))]
    .map((each) => `${each}\n`)
    .join('')
}

function renderSuite({ tests, problems, output, ...facts }: Suite): string[] {
  return [
    '',
    line(0, 'suite', facts),
    ...tests.flatMap(renderTest),
    ...problems.map((problem) => line(1, 'problem', problem)),
    ...output.map((entry) => line(1, 'output', entry)),
  ]
}

function renderTest({ attempts, ...facts }: SuiteTest): string[] {
  return [line(1, 'test', facts), ...attempts.map((attempt) => line(2, 'attempt', attempt))]
}

function line(depth: number, kind: string, facts: object): string {
  return `${'  '.repeat(depth)}${kind} ${JSON.stringify(facts, sortFields)}`
}

function sortFields(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compare([a], [b])))
}

function compare(a: readonly string[], b: readonly string[]): number {
  const [one, two] = [a.join('\0'), b.join('\0')]
  return one < two ? -1 : Number(one > two)
}
