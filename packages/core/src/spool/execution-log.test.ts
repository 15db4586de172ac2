import { appendFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CorruptLogError, SpoolError } from '../model/errors'
import * as files from '../util/files'
import { ExecutionLog } from './execution-log'
import { readLog } from './read-log'

vi.mock(import('../util/files'), { spy: true })

const HEAD = {
  kind: 'execution',
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  service: { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' },
  projectRoot: '/project',
} as const
const RUN = '00000000-0000-4000-8000-000000000001'
const suiteLine = (index: number, name: string) =>
  ({ kind: 'suite', run: RUN, finishedAt: HEAD.createdAt, index, snapshot: { name } }) as const

let spoolDir: string

beforeEach(async () => {
  spoolDir = await mkdtemp(path.join(tmpdir(), 'log-'))
})

afterEach(async () => {
  vi.resetAllMocks()
  await rm(spoolDir, { recursive: true })
})

const logFile = (log: ExecutionLog): string => path.join(log.dir, 'log.jsonl')

async function listNames(): Promise<string[]> {
  const { waiting } = await readLog(path.join(spoolDir, (await readdir(spoolDir))[0] ?? ''))
  return waiting.flatMap(({ suites }) => suites.map(({ snapshot }) => String(snapshot['name'])))
}

describe('a line', () => {
  it('is in the log when append returns, and only the user can read it', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    log.append(suiteLine(0, 'ä'))
    expect(await listNames()).toEqual(['ä'])
    expect((await stat(logFile(log))).mode & 0o777).toBe(0o600)
    expect((await stat(log.dir)).mode & 0o777).toBe(0o700)
    await log.release()
  })

  it('takes the place of an earlier one of the same suite', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    for (const name of ['first', 'second']) log.append(suiteLine(0, name))
    log.append(suiteLine(1, 'other'))
    expect(await listNames()).toEqual(['second', 'other'])
    await log.release()
  })

  it('that was cut by a kill is removed before the next is written', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    log.append(suiteLine(0, 'whole'))
    await log.release()
    await appendFile(logFile(log), '{"kind":"suite","run"')
    const reopened = await ExecutionLog.open(log.dir)
    reopened?.log.append(suiteLine(1, 'next'))
    expect(reopened?.content.corruptLines).toBe(0)
    expect(await listNames()).toEqual(['whole', 'next'])
    await reopened?.log.release()
  })
})

describe('a log', () => {
  it('is opened by one process at a time', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    expect(await ExecutionLog.open(log.dir)).toBeUndefined()
    await log.release()
    const opened = await ExecutionLog.open(log.dir)
    expect(opened?.content.head).toEqual(HEAD)
    await opened?.log.remove()
    expect(await readdir(spoolDir)).toEqual([])
    expect(await ExecutionLog.open(log.dir)).toBeUndefined()
  })

  it.each([
    ['', CorruptLogError],
    ['rubbish\n', CorruptLogError],
    ['{"kind":"execution","version":2}\n', SpoolError],
  ])(
    'that holds %j is reported from a spool that cannot be read, and left as it is',
    async (text, expected) => {
      const log = await ExecutionLog.create(spoolDir, HEAD)
      await log.release()
      await rm(logFile(log))
      await appendFile(logFile(log), text)
      await expect(ExecutionLog.open(log.dir)).rejects.toThrow(expected)
      expect(await readFile(logFile(log), 'utf8')).toBe(text)
      expect(await readdir(log.dir)).toEqual(['log.jsonl'])
    },
  )
})

describe('sync', () => {
  it('waits for lines that were written while an earlier sync was under way', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    let end = (): void => undefined
    const underWay = new Promise<void>((resolve) => (end = resolve))
    vi.mocked(files.syncFile).mockImplementationOnce(() => underWay)
    const first = log.sync()
    await vi.waitFor(() => expect(files.syncFile).toHaveBeenCalledTimes(1))
    log.append(suiteLine(0, 'later'))
    const second = log.sync()
    end()
    await first
    await second
    expect(files.syncFile).toHaveBeenCalledTimes(2)
    await log.sync()
    expect(files.syncFile).toHaveBeenCalledTimes(2)
    await log.release()
  })

  it('fails for good once it has failed, since the system reports a loss only once', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    vi.mocked(files.syncFile).mockRejectedValueOnce(Object.assign(new Error('lost'), { code: 'EIO' }))
    await expect(log.sync()).rejects.toThrow(SpoolError)
    await expect(log.sync()).rejects.toThrow('lost')
    await log.release()
  })

  it('fails when the log was removed', async () => {
    const log = await ExecutionLog.create(spoolDir, HEAD)
    await rm(log.dir, { recursive: true })
    await expect(log.sync()).rejects.toThrow('ENOENT')
    await log.release()
  })
})
