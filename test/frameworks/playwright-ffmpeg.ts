import { mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { findProgram } from '../support/find-program.mjs'
import { REPOSITORY } from '../support/repository'

/** A folder that Playwright takes for its own ffmpeg, or undefined where the system has none; removed by the caller. */
export async function installFfmpeg(version: string): Promise<string | undefined> {
  const ffmpeg = findProgram('ffmpeg')
  if (ffmpeg === undefined) return undefined
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
  await symlink(ffmpeg, path.join(folder, `ffmpeg-${revision}`, 'ffmpeg-linux'))
  return folder
}
