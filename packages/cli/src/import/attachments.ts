import type { Attachment } from '@runledger/core'
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Finds the files that results name. A results file may come from somebody else: it gets no file from outside of the
 * project and its own folder, and none whose path has a part that begins with a dot, such as `.env` or `.git/config`.
 */
export class AttachmentFinder {
  /** What was not found or not allowed, each with the reason. */
  readonly refused: string[] = []
  readonly #folders: string[]

  /** Paths are relative to the first of these folders in which there is such a file. */
  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => realpathSync(folder))
  }

  find({ name, file, contentType }: NamedFile): Attachment[] {
    const candidates = this.#folders.flatMap((folder) => resolveFile(path.resolve(folder, file)) ?? [])
    const found = candidates.find((candidate) => this.#isAllowed(candidate))
    if (found !== undefined) return [{ name: name || path.basename(file), path: found, contentType }]
    const reason =
      candidates.length === 0
        ? 'there is no such file'
        : 'it is outside of the project, or its path has a part that begins with a dot'
    this.refused.push(`${file}: ${reason}`)
    return []
  }

  #isAllowed(file: string): boolean {
    return this.#folders.some((folder) => {
      const parts = path.relative(folder, file).split(path.sep)
      return !path.isAbsolute(parts.join(path.sep)) && parts.every((part) => !part.startsWith('.'))
    })
  }
}

interface NamedFile {
  name?: string | undefined
  file: string
  contentType?: string | undefined
}

/** Where a file really is, links followed; undefined where there is none. */
function resolveFile(file: string): string | undefined {
  try {
    const real = realpathSync(file)
    return statSync(real).isFile() ? real : undefined
  } catch {
    return undefined
  }
}
