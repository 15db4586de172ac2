import type { Suite, SuiteTest } from '@runledger/core'
import { toRelativePath, type SuiteFacts } from '@runledger/reporter-kit'
import type { TestModule } from './framework-types'
import { mapEvents } from './map-events'
import { isTypecheck, mapProblems, wasCutShort } from './map-problems'
import { listUnassigned, mapTest } from './map-test'
import { listTitles, readEntities, type ReadTest } from './module-entities'
import type { Notes } from './module-notes'
import { readMeta } from './read-entity'

export interface ModuleContext {
  rootDir: string
  notes: Notes
  /** The start of a module without any times. */
  executionStartedAtMs: number
  /** From merged blobs: the reporter's clock does not apply. */
  isReplay: boolean
}

/** Its state in Vitest decides, together with errors that belong to no test. */
export function mapModule(testModule: TestModule, context: ModuleContext): Suite {
  const entities = readEntities(testModule)
  const times = deriveTimes(testModule, entities.tests, context)
  const problems = mapProblems(testModule, entities, context.rootDir)
  const file = toRelativePath(context.rootDir, testModule.moduleId)
  const testContext = { ...context, file, moduleStartedAtMs: times.startedAtMs }
  const tests = entities.tests.map((test) => mapTest(test, testContext))
  return {
    project: nameProject(testModule),
    file,
    ...times,
    outcome: hasFailed(testModule, tests) || problems.length > 0 ? 'failed' : 'passed',
    tests,
    problems: problems.map((problem) => ({ ...problem, atMs: times.startedAtMs })),
    ...mapSuiteFields(testModule, entities.tests, context.notes),
  }
}

/** Vitest's verdict about a module whose results could not be mapped. */
export function describeModule(
  testModule: TestModule,
  { rootDir, notes, executionStartedAtMs }: ModuleContext,
): SuiteFacts {
  const { startedAtMs = executionStartedAtMs, endedAtMs = startedAtMs } = notes.readTimes(testModule.id) ?? {}
  return {
    project: nameProject(testModule),
    file: toRelativePath(rootDir, testModule.moduleId),
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    outcome: hasFailedUnmapped(testModule) ? 'failed' : 'passed',
  }
}

/** Vitest may call a module passed that was cut short. */
function hasFailedUnmapped(testModule: TestModule): boolean {
  try {
    return testModule.state() === 'failed' || wasCutShort(testModule, readEntities(testModule).tests)
  } catch {
    return !['passed', 'skipped'].includes(testModule.state())
  }
}

function hasFailed(testModule: TestModule, tests: SuiteTest[]): boolean {
  return testModule.state() === 'failed' || tests.some(({ outcome }) => outcome === 'failed')
}

/** Unique for each file: a type check is another module of it, and merged blobs may repeat it for each label. */
export function nameProject(testModule: TestModule): string {
  const label = readMeta(testModule)['__vitest_label__']
  const parts = [
    testModule.project.name,
    typeof label === 'string' ? label : '',
    isTypecheck(testModule) ? 'typecheck' : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function deriveTimes(
  testModule: TestModule,
  tests: readonly ReadTest[],
  { notes, executionStartedAtMs, isReplay }: ModuleContext,
): Pick<Suite, 'startedAtMs' | 'durationMs'> {
  let [startedAtMs, endedAtMs] = [Infinity, -Infinity]
  const include = (fromMs: number, toMs: number): void => {
    startedAtMs = Math.min(startedAtMs, fromMs)
    endedAtMs = Math.max(endedAtMs, toMs)
  }
  tests.forEach(({ diagnostic }) => {
    const { startedAtMs: fromMs, durationMs = 0 } = diagnostic ?? {}
    if (fromMs !== undefined) include(fromMs, fromMs + durationMs)
  })
  const own = isReplay && startedAtMs < Infinity ? undefined : notes.readTimes(testModule.id)
  if (own) include(own.startedAtMs, own.endedAtMs ?? -Infinity)
  if (startedAtMs === Infinity) return { startedAtMs: executionStartedAtMs, durationMs: 0 }
  return { startedAtMs, durationMs: Math.max(0, endedAtMs - startedAtMs) }
}

/** The module's output and events, and those of tests without a verdict. */
function mapSuiteFields(
  testModule: TestModule,
  tests: readonly ReadTest[],
  notes: Notes,
): Pick<Suite, 'output' | 'attachments' | 'events'> {
  const recorded = mapEvents(testModule, notes.channelFolder)
  const output = [...notes.readOutput(testModule.id), ...recorded.flatMap((each) => each.output ?? [])]
  const attachments = recorded.flatMap(({ attachment }) => attachment ?? [])
  const events = recorded.flatMap((each) => each.event ?? [])
  tests.forEach((test) => {
    const unassigned = listUnassigned(test, notes)
    if (unassigned === undefined) return
    const origin = listTitles(test.testCase).join(' › ')
    output.push(...unassigned.output.map((entry) => ({ ...entry, origin: entry.origin ?? origin })))
    attachments.push(...unassigned.attachments)
  })
  return { output, attachments, ...(events.length > 0 && { events }) }
}
