import { listFoldersUpward } from '@runledger/core/tools'
import { existsSync } from 'node:fs'
import path from 'node:path'

export const GITHUB_WORKFLOWS = '.github/workflows'

/** Searches from the project's folder up to the root of the repository. */
export function findCiFile(root: string, place: string): string | undefined {
  const upward = listFoldersUpward(root)
  const top = upward.findIndex((folder) => existsSync(path.join(folder, '.git')))
  const folders = upward.slice(0, Math.max(1, top + 1))
  return folders.map((folder) => path.join(folder, place)).find((each) => existsSync(each))
}
