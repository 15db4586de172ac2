import type * as NodeFileSystem from 'node:fs'
import type * as NodePath from 'node:path'
import type { FileEvent, TestApiEvent } from '@runledger/core'
import { createUniqueId, getBuiltIn } from '@runledger/reporter-kit/test-side'
import { findTestPath, type NamedKey, type TestKey } from './find-test'

/** A console call. Jest hands over all calls of a file at its end; `index` counts them. */
export interface OutputEvent {
  kind: 'output'
  index: number
  atMs: number
}

export type SidecarEvent = TestApiEvent | FileEvent | OutputEvent

/** The start of a test file in this worker (a session), or an event in it. */
export type SidecarLine =
  | { session: string; path: string }
  | { session: string; test: TestKey | NamedKey | null; event: SidecarEvent }

/** One file for each worker, open on Node's own process object: each test file gets another `process`. */
const OPEN_FILE = Symbol.for('runledger.sidecar')
interface WorkerProcess {
  [OPEN_FILE]?: { folder: string; descriptor: number }
}

/** On the test file's global object: ESM and CJS copies, and those after `resetModules`, share a session. */
const SESSION = Symbol.for('runledger.session')
const testGlobal = globalThis as { [SESSION]?: string }

/** Writes before it returns, so that an event survives a crash. @throws on a full disk */
export function appendEvent(folder: string, test: TestKey | NamedKey | undefined, event: SidecarEvent): void {
  const session = (testGlobal[SESSION] ??= beginSession(folder))
  appendLine(folder, { session, test: test ?? null, event })
}

function beginSession(folder: string): string {
  const session = createUniqueId()
  appendLine(folder, { session, path: findTestPath() ?? '' })
  return session
}

// Kept on loading, because a test may mock and count them.
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
