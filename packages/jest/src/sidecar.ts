import type * as NodeFileSystem from 'node:fs'
import type * as NodePath from 'node:path'
import type { FileEvent, TestApiEvent } from '@runledger/core'
import { createUniqueId, getBuiltIn } from '@runledger/reporter-kit/test-side'
import { findTestPath, type NamedKey, type TestKey } from './find-test'

/** A call of the console. Jest hands over all calls of a file at its end; `index` counts them from 0. */
export interface OutputEvent {
  kind: 'output'
  index: number
  atMs: number
}

/** What goes through a sidecar file. */
export type SidecarEvent = TestApiEvent | FileEvent | OutputEvent

/** A line of a sidecar file: the start of a test file in this worker (a session), or an event in it. */
export type SidecarLine =
  | { session: string; path: string }
  | { session: string; test: TestKey | NamedKey | null; event: SidecarEvent }

/** One sidecar file for each worker, open on Node's own process object: the test's `process` is replaced for each test file. */
const OPEN_FILE = Symbol.for('runledger.sidecar')
interface WorkerProcess {
  [OPEN_FILE]?: { folder: string; descriptor: number }
}

/** On the test file's global object: ESM and CJS copies of this code, and those after `resetModules`, share a session. */
const SESSION = Symbol.for('runledger.session')
const testGlobal = globalThis as { [SESSION]?: string }

/** Writes before it returns, so that an event survives a crash right after it. @throws when the disk is full */
export function appendEvent(folder: string, test: TestKey | NamedKey | undefined, event: SidecarEvent): void {
  const session = (testGlobal[SESSION] ??= beginSession(folder))
  appendLine(folder, { session, test: test ?? null, event })
}

function beginSession(folder: string): string {
  const session = createUniqueId()
  appendLine(folder, { session, path: findTestPath() ?? '' })
  return session
}

// Taken when this is loaded: a test may replace each of them by a mock, and counts the calls of that.
const { openSync, writeSync } = getBuiltIn('node:fs') as typeof NodeFileSystem
const { join } = getBuiltIn('node:path') as typeof NodePath
const { stringify } = JSON
const process = getBuiltIn('node:process') as WorkerProcess

function appendLine(folder: string, line: SidecarLine): void {
  if (process[OPEN_FILE]?.folder !== folder) {
    const descriptor = openSync(join(folder, `${createUniqueId()}.jsonl`), 'a', 0o600)
    process[OPEN_FILE] = { folder, descriptor }
  }
  writeSync(process[OPEN_FILE].descriptor, `${stringify(line)}\n`)
}
