import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { loadBaseSequencer } from './base-sequencer'

it("loads the sequencer of the folder's Jest if the started script has none", () => {
  const Base = loadBaseSequencer('/nowhere/script.js', import.meta.dirname)
  expect(Base.name).toBe('TestSequencer')
})

it('names what is missing without Jest', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-jest-'))
  try {
    expect(() => loadBaseSequencer(undefined, folder)).toThrow('does not find Jest')
  } finally {
    await rm(folder, { recursive: true })
  }
})
