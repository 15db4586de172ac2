import { createServer, resolveServerConfig } from '@runledger/server'
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from '../main'
import type { CommandContext } from '../command-context'

let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'runledger-migrate-command-')))
  const data = path.join(folder, 'from')
  const server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
  await uploadFile(server.url, data)
  await server.close()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function uploadFile(url: string, data: string): Promise<void> {
  const { api_key: key } = JSON.parse(await readFile(path.join(data, 'credentials.json'), 'utf8')) as {
    api_key: string
  }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: '{"name": "log.txt"}' }
  const { upload_url: address } = (await (await fetch(`${url}/v2/attachments`, init)).json()) as {
    upload_url: string
  }
  await fetch(address, { method: 'PUT', body: 'what the test printed' })
}

async function run(argv: string[], over: Partial<CommandContext> = {}) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  const code = await main(['migrate-storage', ...argv], output, { cwd: folder, env: {}, ...over })
  return { code, ...written }
}

describe('runledger migrate-storage', () => {
  it('says what was moved, and draws how far it is', async () => {
    let drawn = ''
    const terminal = { columns: 80, write: (text: string) => void (drawn += text) }
    const { code, out, err } = await run(['--from-data', 'from', '--to-data', 'to'], { terminal })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^table +rows\napi_keys +1\nattachments +1\naudit_entries +1\nblobs +1\n/)
    expect(out).toMatch(
      /\nMoved \d+ rows and 1 file \(21 B\)\.\nCopied in .* s\. Compared in .* s: no differences\.\n/,
    )
    expect(out).toContain(`--data ${path.join(folder, 'to')}`)
    expect(drawn).toMatch(/░ 1\/(\d+) .*█ \1\/\1 checking files/s)
    const again = await run(['--from-data', 'from', '--to-data', 'to', '--json'])
    expect(again.code).toBe(1)
    expect(JSON.parse(again.out)).toEqual({ error: expect.stringContaining('The target is not empty') })
  })

  it('prints it as JSON, with places from variables, and lists what the source has lost', async () => {
    const blobs = path.join(folder, 'from/blobs')
    const [lost] = (await readdir(blobs, { recursive: true })).filter((name) => /[0-9a-f]{64}/.test(name))
    await rm(path.join(blobs, lost ?? ''))
    const env = { RUNLEDGER_FROM_DATA: 'from', RUNLEDGER_TO_DATA: path.join(folder, 'other') }
    const { code, out } = await run(['--json', '--from-data', 'from'], { env })
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({
      resumed: false,
      blobs: 1,
      lost: [path.basename(lost ?? '').slice(0, 64)],
    })
    const told = await run(['--from-data', 'from', '--to-data', 'third'])
    expect(told).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^Warning: 1 attachment file is missing/),
    })
  })

  it('names the setting that is missing', async () => {
    expect(await run(['--from-data', 'from'])).toEqual({
      code: 2,
      out: '',
      err: 'runledger: --to-data (RUNLEDGER_TO_DATA) is missing: a folder of a service.\n',
    })
  })
})
