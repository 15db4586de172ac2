import { statSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from '../command-error'

/** The folder that a command works on. @throws CommandError when there is none of that name */
export function findFolder(dir: string | undefined, cwd: string): string {
  const folder = path.resolve(cwd, dir ?? '.')
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new CommandError(`there is no folder ${folder}`)
}
