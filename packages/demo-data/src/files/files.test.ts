import { crc32, inflateRawSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { drawScreenshot } from './screenshot'
import { makeTrace } from './trace'
import { zip } from './zip'

/** Reads the files of an archive by its central directory, as other programs do. */
function unzip(archive: Uint8Array): Map<string, string> {
  const bytes = Buffer.from(archive)
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const files = new Map<string, string>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, size, length] = [
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ]
    const local = bytes.readUInt32LE(at + 42)
    const name = bytes.toString('utf8', at + 46, at + 46 + length)
    const start = local + 30 + length
    const content = inflateRawSync(bytes.subarray(start, start + size))
    expect(bytes.toString('utf8', local + 30, start)).toBe(name)
    expect(crc32(content)).toBe(crc)
    files.set(name, content.toString('latin1'))
    at += 46 + length
  }
  expect(at).toBe(end)
  return files
}

describe('zip', () => {
  it('holds files that its central directory finds', () => {
    const files = [
      ['a.txt', 'one'],
      ['folder/b', new Uint8Array(5000)],
      ['empty', ''],
    ] as const
    expect([...unzip(zip(files))]).toEqual([
      ['a.txt', 'one'],
      ['folder/b', '\0'.repeat(5000)],
      ['empty', ''],
    ])
  })
})

describe('makeTrace', () => {
  it('has a page before and after each action, and the picture', () => {
    const actions = [
      { title: 'Navigate to "/cart"', durationMs: 100 },
      { title: 'Expect "toBe"', durationMs: 900, error: 'no' },
    ]
    const files = unzip(makeTrace({ title: 'adds', startedAtMs: 1000, page: 'cart', picture: 1, actions }))
    const lines = files.get('trace.trace')?.split('\n') ?? []
    const events = lines.map((line) => JSON.parse(line) as { type: string; sha1?: string; error?: object })
    const types = ['before', 'frame-snapshot', 'screencast-frame', 'frame-snapshot', 'after']
    expect(events.map(({ type }) => type)).toEqual(['context-options', ...types, ...types])
    expect(events.at(-1)?.error).toEqual({ name: 'Error', message: 'no' })
    expect(files.get(`resources/${events[3]?.sha1}`)).toBe(Buffer.from(drawScreenshot(1)).toString('latin1'))
  })
})

describe('drawScreenshot', () => {
  it('is a PNG of 800 by 500 pixels with correct checksums', () => {
    const bytes = Buffer.from(drawScreenshot(7))
    const chunks = new Map<string, Buffer>()
    for (let at = 8; at < bytes.length;) {
      const length = bytes.readUInt32BE(at)
      const chunk = bytes.subarray(at + 4, at + 8 + length)
      expect(crc32(chunk)).toBe(bytes.readUInt32BE(at + 8 + length))
      chunks.set(chunk.toString('latin1', 0, 4), chunk.subarray(4))
      at += length + 12
    }
    expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND'])
    const head = chunks.get('IHDR')
    expect([head?.readUInt32BE(0), head?.readUInt32BE(4)]).toEqual([800, 500])
    expect(inflateSync(chunks.get('IDAT') as Buffer).length).toBe(801 * 500)
  })
})
