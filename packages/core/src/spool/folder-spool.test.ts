import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FolderSpool } from './folder-spool'
import { SpoolError } from './spool-error'

const ID = '11111111-1111-4111-8111-111111111111'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-spool-'))
})

afterEach(() => rm(dir, { recursive: true, force: true }))

it('makes folders that only their user can read', async () => {
  const spool = new FolderSpool(path.join(dir, 'deep/spool'))
  const entry = await spool.create(ID)
  await entry.keep({ bytes: Buffer.from('bytes') })
  for (const folder of [spool.dir, entry.dir, path.join(entry.dir, 'files')]) {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  }
})

it('removes what a killed process left half-made, at once, and leaves what one is making', async () => {
  for (const [name, pid] of [
    ['.new-dead', 999_999_999],
    ['.new-live', process.pid],
  ] as const) {
    await mkdir(path.join(dir, name))
    const host = (await readdir((await new FolderSpool(dir).create(randomUUID())).dir))
      .find((found) => found.startsWith('claim-'))
      ?.split('-')[1]
    await writeFile(path.join(dir, name, `claim-${host}-${pid}-0-00`), '')
  }
  await mkdir(path.join(dir, '.new-just-begun'))
  await mkdir(path.join(dir, `.old-${ID}-00000000`, 'files'), { recursive: true })
  await new FolderSpool(dir).removeLeftovers()
  const left = (await readdir(dir)).filter((name) => name.startsWith('.'))
  expect(left.sort()).toEqual(['.new-just-begun', '.new-live'])
})

it('lists nothing where there is no folder, and leaves strangers’ files alone', async () => {
  expect(await new FolderSpool(path.join(dir, 'none')).list()).toEqual([])
  await writeFile(path.join(dir, 'package.json'), '{}')
  await mkdir(path.join(dir, 'src'))
  expect(await new FolderSpool(dir).list()).toEqual([])
})

it('says that it cannot be written', async () => {
  await writeFile(path.join(dir, 'file'), '')
  await expect(new FolderSpool(path.join(dir, 'file/spool')).create(ID)).rejects.toThrow(SpoolError)
})
