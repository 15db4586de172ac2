import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { once } from 'node:events'

const BLOCK_BYTES = 64 * 1024

/**
 * Writes files of one size whose bytes differ from file to file and block to block, the same for the same seed.
 * @param {string} folder
 * @param {{ count: number, sizeBytes: number, seed: number }} size
 */
export async function writeFiles(folder, { count, sizeBytes, seed }) {
  await mkdir(folder, { recursive: true })
  const files = []
  for (let index = 0; index < count; index += 1) {
    const file = path.join(folder, `${index}.bin`)
    await writeOne(file, sizeBytes, `${seed} ${index}`)
    files.push(file)
  }
  return files
}

async function writeOne(file, sizeBytes, seed) {
  const stream = createWriteStream(file)
  for (let offset = 0; offset < sizeBytes; offset += BLOCK_BYTES) {
    const pattern = createHash('sha256').update(`${seed} ${offset}`).digest()
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, sizeBytes - offset), pattern)
    if (!stream.write(block)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
}
