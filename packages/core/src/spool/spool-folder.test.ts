import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SpoolError } from '../model/errors'
import { ExecutionLog } from './execution-log'
import { type ExecutionLine, LOG_VERSION } from './log-lines'
import { SpoolFolder } from './spool-folder'

const HEAD: ExecutionLine = {
  kind: 'execution',
  version: LOG_VERSION,
  createdAt: '2026-11-20T09:30:00.000Z',
  service: { url: 'http://127.0.0.1', createPath: '/runs', updatePath: '/runs' },
  projectRoot: '/project',
}

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-spool-'))
})

afterEach(() => rm(dir, { recursive: true, force: true }))

it('has folders and files that only their user can read', async () => {
  const log = await ExecutionLog.create(path.join(dir, 'deep/spool'), HEAD)
  const { file } = log.files.keepBytes(Buffer.from('bytes'), '.png')
  for (const folder of [path.join(dir, 'deep/spool'), log.dir, log.files.dir])
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const name of [log.files.pathOf(file), path.join(log.dir, 'log.jsonl')])
    expect((await stat(name)).mode & 0o777).toBe(0o600)
  await log.release()
})

it('removes what a killed process left half-made or half-removed, after an hour', async () => {
  const [old, recent] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  for (const name of [old, recent, 'somebody-elses'])
    await mkdir(path.join(dir, name, 'files'), { recursive: true })
  const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000)
  for (const name of [old, 'somebody-elses']) await utimes(path.join(dir, name), hoursAgo, hoursAgo)
  await new SpoolFolder(dir).removeUnfinished()
  expect((await readdir(dir)).sort()).toEqual([recent, 'somebody-elses'])
})

it('lists executions, oldest first, and leaves strangers’ files alone', async () => {
  expect(await new SpoolFolder(path.join(dir, 'none')).list()).toEqual([])
  await writeFile(path.join(dir, 'package.json'), '{}')
  await mkdir(path.join(dir, 'src'))
  const younger = await ExecutionLog.create(dir, { ...HEAD, createdAt: '2026-11-20T09:31:00.000Z' })
  const older = await ExecutionLog.create(dir, HEAD)
  const listed = await new SpoolFolder(dir).list()
  expect(listed.map((each) => each.dir)).toEqual([older.dir, younger.dir])
  for (const log of [younger, older]) await log.remove()
  expect((await readdir(dir)).sort()).toEqual(['package.json', 'src'])
})

it('says that it cannot be written', async () => {
  await writeFile(path.join(dir, 'file'), '')
  await expect(ExecutionLog.create(path.join(dir, 'file/spool'), HEAD)).rejects.toThrow(SpoolError)
})
