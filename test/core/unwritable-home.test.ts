import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommand } from '../support/project'
import { OPEN_EXECUTION } from '../support/record-script'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
const NOBODY = 'http://127.0.0.1:9'

let folder: string
let service: Service

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-home-'))
  service = await startService()
})

afterEach(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

it('keeps what could not be sent among temporary files, without a word, and sends it from there', async () => {
  const script = path.join(folder, 'record.mjs')
  await writeFile(script, `${OPEN_EXECUTION}\nawait execution.finish()\n`)
  const env = { HOME: path.join(script, 'no-folder'), XDG_STATE_HOME: '', TMPDIR: folder }
  const target = {
    RUNLEDGER_URL: NOBODY,
    RUNLEDGER_API_KEY: 'rl_user_key',
    RUNLEDGER_PROCEDURE_ID: service.procedureId,
  }
  const { stderr } = await runCommand(process.execPath, [script], { dir: folder, env: { ...env, ...target } })
  expect(stderr).toContain('1 run waits in the spool: npx runledger upload sends it')
  expect(stderr).not.toContain('cannot be used')
  const toService = ['upload', '--url', service.url]
  const sent = await runCommand(process.execPath, [CLI, ...toService], {
    dir: folder,
    env: { ...env, RUNLEDGER_API_KEY: service.apiKey },
  })
  expect(sent.stdout).toContain('1 run sent.')
})
