import path from 'node:path'
import type { Attachment, OutputEntry, Said, Suite, SuiteTest } from '@runledger/core'
import type { TestModule } from './framework-types'
import { isTypecheck, mapProblems } from './map-problems'
import { mapSaid } from './map-said'
import { listTitles, listUnheld, mapTest } from './map-test'
import { readEntities, type ReadTest } from './module-entities'
import type { Notes } from './module-notes'

export interface ModuleContext {
  /** Root of the execution, which files are relative to. */
  rootDir: string
  notes: Notes
  /** Start of the execution: the last resort for a module that Vitest gives no times. */
  executionStartedAtMs: number
  /** The module comes from blobs of earlier executions: the reporter's own clock tells nothing of it. */
  isReplay: boolean
}

/** Maps one test module to a suite; Vitest's state of the module decides, with the errors that belong to no test. */
export function mapModule(testModule: TestModule, context: ModuleContext): Suite {
  const entities = readEntities(testModule)
  const times = deriveTimes(testModule, entities.tests, context)
  const problems = mapProblems(testModule, entities).map((problem) => ({
    ...problem,
    atMs: times.startedAtMs,
  }))
  const testContext = { notes: context.notes, moduleStartedAtMs: times.startedAtMs }
  const tests = entities.tests.map((test) => mapTest(test, testContext))
  return {
    project: nameProject(testModule),
    file: nameFile(testModule, context.rootDir),
    ...times,
    outcome: hasFailed(testModule, tests) || problems.length > 0 ? 'failed' : 'passed',
    tests,
    problems,
    ...mapSuiteWide(testModule, entities.tests, context.notes),
  }
}

function hasFailed(testModule: TestModule, tests: SuiteTest[]): boolean {
  return testModule.state() === 'failed' || tests.some(({ outcome }) => outcome === 'failed')
}

/**
 * The project's name. A type check is a module of its own over the same file, and merged blobs may hold the same file
 * once for each label: both are told apart here, so that no two runs are of one project and file.
 */
export function nameProject(testModule: TestModule): string {
  const { __vitest_label__: label } = testModule.meta() as { __vitest_label__?: unknown }
  const parts = [
    testModule.project.name,
    typeof label === 'string' ? label : '',
    isTypecheck(testModule) ? 'typecheck' : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

export function nameFile(testModule: TestModule, rootDir: string): string {
  const relative = path.isAbsolute(testModule.moduleId)
    ? path.relative(rootDir, testModule.moduleId)
    : testModule.moduleId
  return relative.replaceAll('\\', '/')
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
    if (diagnostic) include(diagnostic.startTime, diagnostic.startTime + diagnostic.duration)
  })
  const own = isReplay && startedAtMs < Infinity ? undefined : notes.readTimes(testModule.id)
  if (own) include(own.firstAtMs, own.endAtMs ?? -Infinity)
  if (startedAtMs === Infinity) return { startedAtMs: executionStartedAtMs, durationMs: 0 }
  return { startedAtMs, durationMs: Math.max(0, endedAtMs - startedAtMs) }
}

/** The module's own output, what was said outside of tests, and what tests wrote or recorded that came to no verdict. */
function mapSuiteWide(
  testModule: TestModule,
  tests: readonly ReadTest[],
  notes: Notes,
): { output: OutputEntry[]; attachments: Attachment[]; said?: Said[] } {
  const output = [...notes.readOutput(testModule.id)]
  const recorded = mapSaid(testModule, notes.channelFolder)
  const attachments = recorded.flatMap(({ attachment }) => attachment ?? [])
  const said = recorded.flatMap((each) => each.said ?? [])
  tests.forEach((test) => {
    const unheld = listUnheld(test, notes)
    if (unheld === undefined) return
    const origin = listTitles(test.testCase).join(' › ')
    output.push(...unheld.output.map((entry) => ({ ...entry, origin: entry.origin ?? origin })))
    attachments.push(...unheld.attachments)
  })
  return { output, attachments, ...(said.length > 0 && { said }) }
}
