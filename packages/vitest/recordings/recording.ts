import type { TestAnnotation, TestArtifact, TestAttempt, UserConsoleLog } from '../src/framework-types'
import type { TestDiagnostic, TestResult } from 'vitest/node'

/** A recorded execution: what `recorder.mjs` writes. */
export interface Recording {
  version: string
  root: string
  dangerouslyIgnoreUnhandledErrors: boolean
  events: RecordedEvent[]
  end: {
    atMs: number
    /** Of Vitest's process when the last hook was called. */
    exitCode?: number
    reason: 'passed' | 'failed' | 'interrupted'
    unhandledErrors: { message: string; [field: string]: unknown }[]
    modules: RecordedModule[]
  }
}

type ModuleHook = 'onTestModuleQueued' | 'onTestModuleCollected' | 'onTestModuleStart' | 'onTestModuleEnd'

export type RecordedEvent =
  | { hook: 'onTestRunStart'; specifications: number; atMs: number }
  | { hook: ModuleHook; id: string; atMs: number }
  | { hook: 'onUserConsoleLog'; log: UserConsoleLog }
  | RecordedMoment

/** A test recorded something: what its methods returned then, and which annotation or artifact it was. */
export interface RecordedMoment {
  hook: 'onTestCaseAnnotate' | 'onTestCaseArtifactRecord'
  id: string
  result: TestResult
  diagnostic?: TestDiagnostic
  index: number
}

interface RecordedGroup {
  id: string
  state: string
  errors: unknown[]
  hooks?: Record<string, string>
  children: RecordedChild[]
}

export interface RecordedModule extends RecordedGroup {
  type: 'module'
  moduleId: string
  project: string
  hasObsoleteSnapshots: boolean
  meta: Record<string, unknown>
}

export interface RecordedSuite extends RecordedGroup {
  type: 'suite'
  name: string
}

export interface RecordedTest {
  type: 'test'
  id: string
  name: string
  options: { mode: string; fails?: boolean; repeats?: number }
  result: TestResult
  diagnostic?: TestDiagnostic
  meta: Record<string, unknown>
  annotations: TestAnnotation[]
  /** Absent before Vitest 4. */
  artifacts?: TestArtifact[]
  /** Absent before Vitest 5. */
  attempts?: TestAttempt[]
  pending?: boolean
}

export type RecordedChild = RecordedSuite | RecordedTest
