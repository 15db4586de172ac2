import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sha256 } from '../../../test/support/digest'
import { copyMasked, maskBytes, type TextKind } from './mask-bytes'
import { Masker } from './masker'
import { spellSecrets } from './secret-values'

const SECRET = 'tr0ub4dor-and-3-öre'
const masker = new Masker(spellSecrets([SECRET]), undefined)
const mask = (text: string): string => masker.mask(text, () => undefined)
const MIB = 1024 * 1024

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-mask-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function copy(bytes: Uint8Array, kind: TextKind = 'text'): Promise<Buffer | undefined> {
  const plan = { from: path.join(dir, 'from'), to: path.join(dir, 'to') }
  await writeFile(plan.from, bytes)
  const written = await copyMasked(plan, kind, mask)
  if (written === undefined) return undefined
  const copied = await readFile(plan.to)
  expect(written).toEqual({ sizeBytes: copied.byteLength, sha256: sha256(copied) })
  return copied
}

it.each<[string, Buffer, TextKind]>([
  ['an image', Buffer.from(`\x89PNG ${SECRET}`), 'binary'],
  ['bytes with many zeros that nobody calls anything', Buffer.from(`a\0b\0\0\0 ${SECRET}`), 'unknown'],
  [
    'bytes that nobody calls anything and that are no UTF-8',
    Buffer.from(`\xff ${SECRET}`, 'latin1'),
    'unknown',
  ],
])('leaves %s as they are', async (_, bytes, kind) => {
  expect(maskBytes(bytes, kind, mask)).toBe(bytes)
  if (kind !== 'binary') expect(await copy(bytes, kind)).toBeUndefined()
})

it.each<[string, BufferEncoding, string]>([
  ['UTF-8', 'utf8', `grün ${SECRET}\r\n`],
  ['UTF-8 with a zero', 'utf8', `grün\0 ${SECRET}\r\n`],
  ['UTF-16', 'utf16le', `\uFEFFgrün ${SECRET}\r\n`],
  ['UTF-16 without a mark', 'utf16le', `grün ${SECRET}\r\n`],
])('masks %s and leaves the rest to the byte', async (_, encoding, text) => {
  const expected = Buffer.from(text.replace(SECRET, '***'), encoding)
  expect(Buffer.from(maskBytes(Buffer.from(text, encoding), 'text', mask))).toEqual(expected)
  expect(await copy(Buffer.from(text, encoding))).toEqual(expected)
})

it.each<[string, TextKind]>([
  ['\uFEFF', 'text'],
  ['\uFEFF', 'unknown'],
  ['', 'text'],
  ['', 'unknown'],
])('masks UTF-16 whose higher byte is first, over several pieces: %j, %s', async (mark, kind) => {
  const write = (text: string): Buffer => Buffer.from(mark + text, 'utf16le').swap16()
  const lines = 'a line of a log €\r\n'.repeat(40_000)
  expect(Buffer.from(maskBytes(write(`grün ${SECRET}`), kind, mask))).toEqual(write('grün ***'))
  const copied = await copy(write(`${lines}${SECRET}${lines}`), kind)
  expect(copied?.equals(write(`${lines}***${lines}`))).toBe(true)
})

it('masks what nobody calls anything and has a zero in its beginning', async () => {
  const bytes = Buffer.from(`a log\0${' line'.repeat(40)} ${SECRET}`)
  expect((await copy(bytes, 'unknown'))?.includes(SECRET)).toBe(false)
})

it('masks text of an old encoding', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const bytes = Buffer.from(`gr\xfcn ${token} \xe4`, 'latin1')
  expect(await copy(bytes)).toEqual(Buffer.from('gr\xfcn *** \xe4', 'latin1'))
})

it('keeps a text without secrets to the byte, and an empty one', async () => {
  const bytes = Buffer.from('äöü €\r\n'.repeat(400_000))
  expect((await copy(bytes))?.equals(bytes)).toBe(true)
  expect(await copy(Buffer.alloc(0))).toEqual(Buffer.alloc(0))
})

it.each([
  ['lines', `${'ä line of a log €'.repeat(3)}\n`],
  ['one line', 'ä€x'],
])('finds secrets wherever the pieces of a large text meet: %s', async (_, filler) => {
  const fill = filler.repeat(Math.ceil((MIB * 0.4) / Buffer.byteLength(filler)))
  // Every place around the ends of the first pieces, and of what is held back of them.
  for (const shift of [0, 3, 17, 40_000]) {
    const parts = [fill, SECRET, fill, 'y'.repeat(shift), SECRET, SECRET, fill, SECRET, fill, fill, SECRET]
    const copied = await copy(Buffer.from(parts.join('')))
    const expected = parts.map((part) => (part === SECRET ? '***' : part)).join('')
    expect(copied?.equals(Buffer.from(expected))).toBe(true)
  }
})

it('finds a secret that begins at each place near the end of a piece', async () => {
  const places = Array.from({ length: 24 }, (_, n) => MIB - 32 * 1024 - 20 + n).concat(MIB - 10, MIB - 1, MIB)
  for (const place of places) {
    const rest = 'z'.repeat(200_000)
    const copied = await copy(Buffer.from('x'.repeat(place) + SECRET + rest))
    expect(copied?.equals(Buffer.from(`${'x'.repeat(place)}***${rest}`))).toBe(true)
  }
})

it('finds a private key across pieces', async () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${`${'MIIE'.repeat(16)}\n`.repeat(40)}-----END PRIVATE KEY-----\n`
  for (const place of [MIB - 34_000, MIB - 32_768, MIB - 1000]) {
    const before = 'log line\n'.repeat(place / 9)
    const copied = await copy(Buffer.from(before + key + 'after\n'.repeat(50_000)))
    expect(copied?.includes('MIIE')).toBe(false)
    expect(copied?.byteLength).toBe(before.length + 4 + 300_000)
  }
})
