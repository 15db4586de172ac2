import path from 'node:path'
import { SAID_META, type Said, type SaidFile } from '@runledger/core/test-side'
import type { TestCase, TestModule } from './framework-types'
import type { Recorded } from './map-attachments'

/** Something that was said, in the test's meta: plain JSON, which Vitest sends with the test's state. */
export type SaidInTry = (Said | SaidFile) & {
  /** Index of the try, from 0; absent outside of tests. */
  tryIndex?: number | undefined
}

/** Maps what a test, or a file outside of its tests, said with our functions; `folder` has the files that it attached. */
export function mapSaid(entity: TestCase | TestModule, folder: string | undefined): Recorded[] {
  const entries = (entity.meta() as { [SAID_META]?: unknown })[SAID_META]
  if (!Array.isArray(entries)) return []
  return (entries as SaidInTry[]).map(({ tryIndex, ...said }) => {
    if (said.kind !== 'file') return { tryIndex, said: said as Said }
    return { tryIndex, ...mapFile(said as SaidFile, folder) }
  })
}

function mapFile({ name, contentType, file, base64 }: SaidFile, folder: string | undefined): Recorded {
  if (base64 !== undefined) {
    return { attachment: { name, contentType, bytes: Buffer.from(base64, 'base64') } }
  }
  if (file !== undefined && folder !== undefined) {
    return { attachment: { name, contentType, path: path.join(folder, path.basename(file)) } }
  }
  // Blobs of another execution, whose folder went with it.
  return { output: { stream: 'stderr', text: `not attached: ${name}: its bytes stayed where the test ran` } }
}
