import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Options } from './options'
import { findMissingOption, resolveOptions } from './resolve-options'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-options-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function writeCredentials(dir: string, content: unknown): Promise<void> {
  await mkdir(path.join(dir, '.runledger'), { recursive: true })
  await writeFile(path.join(dir, '.runledger/credentials.json'), JSON.stringify(content))
}

const LOCAL = { url: 'http://127.0.0.1:7357', api_key: 'rl_user_local', procedure_id: 'widget' }

describe('resolveOptions', () => {
  it('applies option, then variable, then default', () => {
    const env = { RUNLEDGER_URL: 'http://variable:1', RUNLEDGER_DEADLINE_MS: '5000', RUNLEDGER_LOGS: 'no' }
    const options = resolveOptions({ url: 'http://option:1' }, env, folder)
    expect(options).toMatchObject({
      url: 'http://option:1',
      deadlineMs: 5000,
      logs: false,
      concurrency: 32,
      runPer: 'suite',
    })
  })

  it('names the variable of every option after the option', () => {
    const env = {
      RUNLEDGER_MAX_ATTACHMENT_BYTES: '7',
      RUNLEDGER_URL: LOCAL.url,
      RUNLEDGER_UNIT_UNDER_TEST: '{}',
    }
    const options = resolveOptions({}, env, folder)
    expect(options).toMatchObject({ maxAttachmentBytes: 7, url: LOCAL.url, unitUnderTest: undefined })
  })

  it('treats an empty variable as absent', () => {
    expect(resolveOptions({}, { RUNLEDGER_GROUP: '', RUNLEDGER_DEADLINE_MS: ' ' }, folder)).toMatchObject({
      group: undefined,
      shard: undefined,
      deadlineMs: 60_000,
    })
  })

  it.each<[Options, Record<string, string>, string]>([
    [{ url: 'http://host/?a=b' }, {}, 'option url (RUNLEDGER_URL) cannot be "http://host/?a=b"'],
    [{ url: 'ftp://me:secret@host' }, {}, 'option url (RUNLEDGER_URL) cannot be "ftp://…@host"'],
    [{ deadlineMs: 2 ** 31 }, {}, 'use a whole number, 1 to 2147483647'],
    [{ url: 'localhost:7357' }, {}, 'option url (RUNLEDGER_URL) cannot be "localhost:7357": use an address'],
    [
      {},
      { RUNLEDGER_DEADLINE_MS: '1m' },
      'option deadlineMs (RUNLEDGER_DEADLINE_MS) cannot be "1m": use a whole number',
    ],
    [{ runPer: 'file' as 'suite' }, {}, 'option runPer (RUNLEDGER_RUN_PER) cannot be "file": use \'suite\''],
    [
      {},
      { RUNLEDGER_DISABLED: 'perhaps' },
      'option disabled (RUNLEDGER_DISABLED) cannot be "perhaps": use true or false',
    ],
    [{ updatePath: '/runs' }, {}, 'option updatePath (RUNLEDGER_UPDATE_PATH)'],
    [{ createPath: '//evil.example/x' }, {}, 'option createPath (RUNLEDGER_CREATE_PATH)'],
    [{ unitUnderTest: { serialNumber: '' } }, {}, 'option unitUnderTest cannot be {"serialNumber":""}'],
  ])('refuses %j %j, naming option, variable, value and fix', (options, env, message) => {
    expect(() => resolveOptions(options, env, folder)).toThrow(message)
  })

  it('never shows a key that it refuses', () => {
    expect(() => resolveOptions({ apiKey: 'rl_user secret' }, {}, folder)).toThrow(/^(?!.*secret)/)
  })

  it('warns of unknown options and misspelt variables, and leaves those of others alone', () => {
    const options = { apikey: 'x', procedure_id: 'y', foo: 1, _mode: 'list' } as Options
    const env = { RUNLEDGER_PROCEDUREID: 'z', RUNLEDGER_PUBLIC_URL: 'w', RUNLEDGER_SOMETHING_ELSE: 'v' }
    expect(resolveOptions(options, env, folder).warnings).toEqual([
      'unknown option "apikey": did you mean apiKey?',
      'unknown option "procedure_id": did you mean procedureId?',
      'unknown option "foo"',
      'unknown variable RUNLEDGER_PROCEDUREID: did you mean RUNLEDGER_PROCEDURE_ID?',
    ])
  })

  it('finds local credentials upward from the project root', async () => {
    await writeCredentials(folder, LOCAL)
    const project = path.join(folder, 'packages/widget')
    await mkdir(project, { recursive: true })
    expect(resolveOptions({}, {}, project)).toMatchObject({
      url: LOCAL.url,
      apiKey: LOCAL.api_key,
      procedureId: 'widget',
    })
    expect(resolveOptions({ procedureId: 'own' }, {}, project).procedureId).toBe('own')
  })

  it('never sends the local key to another address, nor another key to the local one', async () => {
    await writeCredentials(folder, LOCAL)
    expect(resolveOptions({ url: 'https://elsewhere.example' }, {}, folder).apiKey).toBeUndefined()
    const withKey = resolveOptions({ apiKey: 'rl_user_other' }, {}, folder)
    expect(withKey).toMatchObject({ url: undefined, apiKey: 'rl_user_other' })
    expect(findMissingOption(withKey)?.message).toContain('RUNLEDGER_URL')
  })

  it('names the procedure’s option and variable when only that is missing', async () => {
    const options = resolveOptions({ url: LOCAL.url, apiKey: 'k' }, {}, folder)
    expect(findMissingOption(options)?.message).toMatch(/procedureId or RUNLEDGER_PROCEDURE_ID/)
  })

  it('says which credentials file it cannot use', async () => {
    await writeCredentials(folder, { url: 'nonsense' })
    expect(findMissingOption(resolveOptions({}, {}, folder))?.message).toContain('credentials.json')
    expect(resolveOptions({ disabled: true }, {}, folder).disabled).toBe(true)
  })

  it('names every option that cannot be used', () => {
    const resolve = (): unknown =>
      resolveOptions({ url: 'nonsense', logs: 'no' as never }, { RUNLEDGER_CONCURRENCY: '0' }, folder)
    expect(resolve).toThrow(/option url .*\. option logs .*\. option concurrency .*\.$/)
  })

  it('minds nothing else when it is disabled', () => {
    const env = { RUNLEDGER_DISABLED: '1', RUNLEDGER_DEADLINE_MS: 'soon', RUNLEDGER_APIKEY: 'x' }
    expect(resolveOptions({ url: 'nonsense' }, env, folder)).toMatchObject({ disabled: true, warnings: [] })
    expect(() => resolveOptions({ disabled: false, url: 'nonsense' }, env, folder)).toThrow('option url')
  })
})
