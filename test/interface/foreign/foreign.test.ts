import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REPOSITORY } from '../../support/repository'
import { startService, type Service } from '../../support/service'

const run = promisify(execFile)

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

describe.each([
  ['Python’s standard library', 'python3', 'walk.py', 'python3'],
  ['curl and the shell', 'sh', 'walk.sh', 'curl'],
])('%s', (_client, command, script, tag) => {
  it('walks both interfaces', { tags: [tag] }, async () => {
    const file = path.join(REPOSITORY, 'test/interface/foreign', script)
    await access(file)
    const env = { ...process.env, RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: service.apiKey }
    const walk = run(command, [file], { env, timeout: 120_000 }).catch((error: unknown) => {
      const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string }
      throw new Error(`${message}\n${stderr ?? ''}\nWhat held before:\n${(stdout ?? '').slice(-2000)}`)
    })
    expect((await walk).stdout).toMatch(/walked both interfaces\n$/)
  })
})
