import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from './run-command'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-run-command-'))
})

afterEach(() => rm(folder, { recursive: true }))

const place = (stop = new AbortController().signal) => ({ cwd: folder, env: process.env, stop })

const SURVIVE = '(sleep 1; echo > survived) &'

async function expectNoSurvivor(): Promise<void> {
  await setTimeout(1_500)
  expect(existsSync(path.join(folder, 'survived'))).toBe(false)
}

// The shell of Windows does not have these commands.
const posix = it.skipIf(process.platform === 'win32')

posix('returns the exit code and the end of what was printed', async () => {
  const printed = { exitCode: 3, tail: 'one\ntwo\n' }
  expect(await runCommand('echo one; echo two >&2; exit 3', place())).toEqual(printed)
  expect(await runCommand(['no-such-program'], place())).toMatchObject({ exitCode: null })
})

posix('ends what the command leaves running, even if it holds the output', async () => {
  expect(await runCommand(`${SURVIVE} echo done`, place())).toEqual({ exitCode: 0, tail: 'done\n' })
  await expectNoSurvivor()
})

posix(
  'does not wait for a process outside of its group that holds the output',
  async () => {
    const script = `require('node:child_process').spawn('sleep', ['20'], { detached: true, stdio: 'inherit' }).unref()`
    expect(await runCommand([process.execPath, '-e', script], place())).toMatchObject({ exitCode: 0 })
  },
  10_000,
)

posix('ends the whole group when it is stopped', async () => {
  const stopping = new AbortController()
  const ended = runCommand(`${SURVIVE} wait`, place(stopping.signal))
  await setTimeout(300)
  stopping.abort()
  expect(await ended).toMatchObject({ exitCode: null })
  await expectNoSurvivor()
})
