import type { openSync, writeSync } from 'node:fs'
import type { join } from 'node:path'
import { getBuiltIn, uniqueText, type Said, type SaidFile } from '@runledger/core/test-side'
import { findTestPath, type NamedKey, type TestKey } from './find-test'

/** A line of a sidecar file: the beginning of a test file's run, or something that was said in it. */
export type SidecarLine =
  | { session: string; path: string }
  | { session: string; test: TestKey | NamedKey | null; said: Said | SaidFile }

interface FileSystem {
  openSync: typeof openSync
  writeSync: typeof writeSync
}

/** One file for each worker, kept open on the real process: the test's own `process` goes with its test file. */
const OPEN = Symbol.for('runledger.sidecar')
interface Holder {
  [OPEN]?: { folder: string; descriptor: number }
}

/** On the test file's own global: ESM and CJS copies of this code, and those after `resetModules`, are one session. */
const SESSION = Symbol.for('runledger.session')
const environment = globalThis as { [SESSION]?: string }

/** Appends before it returns, so that not even a crash right after loses it. @throws where the disk does not take it */
export function append(folder: string, test: TestKey | NamedKey | undefined, said: Said | SaidFile): void {
  const session = (environment[SESSION] ??= beginSession(folder))
  write(folder, { session, test: test ?? null, said })
}

function beginSession(folder: string): string {
  const session = uniqueText()
  write(folder, { session, path: findTestPath() ?? '' })
  return session
}

function write(folder: string, line: SidecarLine): void {
  const fs = getBuiltIn<FileSystem>('node:fs') as FileSystem
  const holder = getBuiltIn<Holder>('node:process') as Holder
  if (holder[OPEN]?.folder !== folder) {
    const { join: joinPath } = getBuiltIn<{ join: typeof join }>('node:path') as { join: typeof join }
    const descriptor = fs.openSync(joinPath(folder, `${uniqueText()}.jsonl`), 'a', 0o600)
    holder[OPEN] = { folder, descriptor }
  }
  fs.writeSync(holder[OPEN].descriptor, `${JSON.stringify(line)}\n`)
}
