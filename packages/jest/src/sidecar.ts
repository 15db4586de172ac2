import type { openSync, writeSync } from 'node:fs'
import type { join } from 'node:path'
import { getBuiltIn, uniqueText, type Said, type SaidFile } from '@runledger/core/test-side'
import { findTestPath, type NamedKey, type TestKey } from './find-test'

/** The console was called: which of the file's calls this is, counted from 0, as Jest hands them over in the end. */
export interface SaidOutput {
  kind: 'output'
  index: number
  atMs: number
}

/** What goes through a sidecar file. */
export type Told = Said | SaidFile | SaidOutput

/** A line of a sidecar file: the beginning of a test file's run, or something that was said in it. */
export type SidecarLine =
  { session: string; path: string } | { session: string; test: TestKey | NamedKey | null; said: Told }

interface BuiltIns {
  fs: { openSync: typeof openSync; writeSync: typeof writeSync }
  path: { join: typeof join }
  process: Holder
}

/** One file for each worker, kept open on the real process: the test's own `process` goes with its test file. */
const OPEN = Symbol.for('runledger.sidecar')
interface Holder {
  [OPEN]?: { folder: string; descriptor: number }
}

/** On the test file's own global: ESM and CJS copies of this code, and those after `resetModules`, are one session. */
const SESSION = Symbol.for('runledger.session')
const environment = globalThis as { [SESSION]?: string }

// Read once: in Jest's contexts a global costs microseconds.
const { stringify } = JSON
let session: string | undefined
let builtIns: BuiltIns | undefined
const texts = new WeakMap<object, string>()

/** Appends before it returns, so that not even a crash right after loses it. @throws where the disk does not take it */
export function append(folder: string, test: TestKey | NamedKey | undefined, said: Told): void {
  session ??= environment[SESSION] ??= beginSession(folder)
  // A `SidecarLine`; a test's part of it is the same in all its calls.
  write(folder, `{"session":"${session}","test":${formatTest(test)},"said":${stringify(said)}}\n`)
}

function formatTest(test: TestKey | NamedKey | undefined): string {
  if (test === undefined) return 'null'
  const known = texts.get(test)
  if (known !== undefined) return known
  const text = stringify(test)
  texts.set(test, text)
  return text
}

function beginSession(folder: string): string {
  const begun = uniqueText()
  const line: SidecarLine = { session: begun, path: findTestPath() ?? '' }
  write(folder, `${stringify(line)}\n`)
  return begun
}

function write(folder: string, line: string): void {
  builtIns ??= {
    fs: getBuiltIn('node:fs') as BuiltIns['fs'],
    path: getBuiltIn('node:path') as BuiltIns['path'],
    process: getBuiltIn('node:process') as Holder,
  }
  const { fs, path, process } = builtIns
  if (process[OPEN]?.folder !== folder) {
    const descriptor = fs.openSync(path.join(folder, `${uniqueText()}.jsonl`), 'a', 0o600)
    process[OPEN] = { folder, descriptor }
  }
  fs.writeSync(process[OPEN].descriptor, line)
}
