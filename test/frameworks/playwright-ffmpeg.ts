import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { REPOSITORY } from '../support/repository'

const SYSTEM_FFMPEG = '/usr/bin/ffmpeg'

/** A folder that Playwright takes for its own ffmpeg, or undefined where the system has none; removed by the caller. */
export async function installFfmpeg(version: string): Promise<string | undefined> {
  if (!existsSync(SYSTEM_FFMPEG)) return undefined
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-browsers-'))
  const core = path.join(
    REPOSITORY,
    '.cache/frameworks',
    `playwright-${version}`,
    'node_modules/playwright-core',
  )
  const { browsers } = JSON.parse(await readFile(path.join(core, 'browsers.json'), 'utf8')) as {
    browsers: { name: string; revision: string }[]
  }
  const revision = browsers.find(({ name }) => name === 'ffmpeg')?.revision ?? ''
  await mkdir(path.join(folder, `ffmpeg-${revision}`))
  await symlink(SYSTEM_FFMPEG, path.join(folder, `ffmpeg-${revision}`, 'ffmpeg-linux'))
  return folder
}
