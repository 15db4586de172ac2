import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openGit } from './git'

it.skipIf(process.platform === 'win32')(
  'git is not started in the project, where Windows would look for it first',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'runledger-git-'))
    try {
      await writeFile(path.join(folder, 'git'), '#!/bin/sh\npwd\n', { mode: 0o755 })
      const ask = openGit({ topDir: folder, ignored: undefined, env: { PATH: folder } })
      expect((await ask('status'))[0]).toBe(path.dirname(process.execPath))
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
