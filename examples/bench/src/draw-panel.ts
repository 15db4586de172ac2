import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 320
const HEIGHT = 160
const LAMP = { x: 260, y: 80, radius: 22 }

/** What the bench's camera sees of the front panel, as PNG. */
export function drawPanel({ isLit }: { isLit: boolean }): Uint8Array {
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT)
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) rows.set(colorAt(x, y, isLit), y * (WIDTH * 3 + 1) + 1 + x * 3)
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  // Eight bits of each of three colours.
  head.set([8, 2], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function colorAt(x: number, y: number, isLit: boolean): [number, number, number] {
  const distance = Math.hypot(x - LAMP.x, y - LAMP.y)
  if (distance < LAMP.radius) return isLit ? [60, 220, 110] : [40, 60, 50]
  const isDisplay = x > 30 && x < 200 && y > 45 && y < 115
  if (isDisplay) return (x + y) % 9 === 0 ? [90, 190, 230] : [20, 40, 60]
  return [205, 208, 212]
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.byteLength)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
