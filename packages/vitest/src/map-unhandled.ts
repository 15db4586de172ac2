import path from 'node:path'
import type { OutputEntry, Problem } from '@runledger/core'
import type { TestModule } from './framework-types'
import { mapError } from './map-error'
import { isTypecheck } from './map-problems'

export interface UnhandledProblems {
  byModule: Map<TestModule, Problem[]>
  /** Errors that name no file, or one that several modules have. */
  ofExecution: Problem[]
}

/** Vitest names the file that ran at that moment; without isolation it may be the wrong one. */
export function mapUnhandled(
  errors: readonly unknown[],
  modules: readonly TestModule[],
  rootDir: string,
): UnhandledProblems {
  const assigned: UnhandledProblems = { byModule: new Map(), ofExecution: [] }
  for (const error of errors) {
    const testModule = findModule(error, modules, rootDir)
    const problems = testModule ? (assigned.byModule.get(testModule) ?? []) : assigned.ofExecution
    problems.push(mapUnhandledError(error, rootDir))
    if (testModule) assigned.byModule.set(testModule, problems)
  }
  return assigned
}

/** The user told Vitest to ignore these: they appear only in the log. */
export function mapIgnored(problems: readonly Problem[]): OutputEntry[] {
  return problems.flatMap(({ name, errors }) =>
    errors.map(({ message, diff, stack }) => ({
      stream: 'stderr',
      text: [`${name}, ignored as configured: ${message}`, diff, stack].filter(Boolean).join('\n'),
    })),
  )
}

function findModule(error: unknown, modules: readonly TestModule[], rootDir: string): TestModule | undefined {
  const file = readField(error, 'VITEST_TEST_PATH')
  if (file === undefined) return undefined
  const named = path.resolve(rootDir, file)
  const candidates = modules.filter(
    (testModule) => path.resolve(testModule.moduleId) === named && !isTypecheck(testModule),
  )
  return candidates.length === 1 ? candidates[0] : undefined
}

function mapUnhandledError(error: unknown, rootDir: string): Problem {
  const { message, stack, ...parts } = mapError(error, rootDir)
  const type = readField(error, 'type')
  const test = readField(error, 'VITEST_TEST_NAME')
  const during = test === undefined ? [] : [`Vitest's latest test at that moment: ${test}`]
  const below = [...(stack === undefined ? [] : [stack]), ...during].join('\n')
  const detail = { ...parts, message: type === undefined ? message : `${type}: ${message}` }
  return { name: 'Unhandled error', errors: [below === '' ? detail : { ...detail, stack: below }] }
}

function readField(error: unknown, field: string): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const value = (error as Record<string, unknown>)[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}
