import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { JestGlobalConfig, JestTest } from './jest-types'

export interface JestShard {
  shardIndex: number
  shardCount: number
}

/** Jest's own sequencer, as far as we use it. */
export interface JestSequencer {
  shard(tests: JestTest[], shard: JestShard): JestTest[] | Promise<JestTest[]>
}

/** Jest 29 passes no options. */
export interface SequencerOptions {
  globalConfig: Pick<JestGlobalConfig, 'rootDir'>
}

type SequencerClass = new (options?: SequencerOptions) => JestSequencer

/** Each is a dependency of the one before, so it is found even if a package manager does not hoist. */
const WAY = ['jest', 'jest-cli', '@jest/core', '@jest/test-sequencer']

/** Resolved from the started script, else from the current folder. @throws Error if neither has Jest */
export function loadBaseSequencer(script: string | undefined, folder: string): SequencerClass {
  const origins = [...(script === undefined ? [] : [script]), join(folder, 'package.json')]
  for (const origin of origins) {
    const found = findSequencer(origin)
    if (found !== undefined) return found
  }
  throw new Error("@runledger/jest/sequencer does not find Jest's own sequencer, @jest/test-sequencer")
}

function findSequencer(origin: string): SequencerClass | undefined {
  let from = resolveLink(origin)
  for (const name of WAY) from = resolve(`${name}/package.json`, from) ?? from
  if (resolve('@jest/test-sequencer', from) === undefined) return undefined
  const loaded = createRequire(from)('@jest/test-sequencer') as { default: SequencerClass }
  return loaded.default
}

function resolve(name: string, from: string): string | undefined {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return undefined
  }
}

function resolveLink(file: string): string {
  try {
    return realpathSync.native(file)
  } catch {
    return file
  }
}
