import { statSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from './command-error'

/** The option by which every command is told where to work. */
export const DIR_OPTION = ['--dir <dir>', 'a project, or a folder in it (default: this folder)'] as const
export const SPOOL_DIR_OPTION = [
  '--dir <dir>',
  'a project, or a spool folder (default: this folder)',
] as const

/** @throws CommandError when there is no folder of that name */
export function findFolder(dir: string | undefined, cwd: string): string {
  const folder = path.resolve(cwd, dir ?? '.')
  if (isFolder(folder)) return folder
  throw new CommandError(`there is no folder ${folder}`)
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
