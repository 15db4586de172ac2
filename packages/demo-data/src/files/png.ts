import { crc32, deflateSync } from 'node:zlib'

export type Color = readonly [red: number, green: number, blue: number]

/** Left, top, width and height. */
export type Rectangle = readonly [x: number, y: number, width: number, height: number]

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const BIT_DEPTH = 8
const PALETTE_COLOR = 3

/** A picture of at most 256 colours, as PNG. */
export class Picture {
  readonly #pixels: Uint8Array

  constructor(
    readonly width: number,
    readonly height: number,
    private readonly palette: readonly Color[],
  ) {
    this.#pixels = new Uint8Array(width * height)
  }

  paint([x, y, width, height]: Rectangle, color: number): void {
    for (let row = y; row < Math.min(y + height, this.height); row++)
      this.#pixels.fill(color, row * this.width + x, row * this.width + Math.min(x + width, this.width))
  }

  encode(): Uint8Array {
    const lines = new Uint8Array((this.width + 1) * this.height)
    for (let row = 0; row < this.height; row++) {
      const pixels = this.#pixels.subarray(row * this.width, (row + 1) * this.width)
      lines.set(pixels, row * (this.width + 1) + 1)
    }
    const head = new Uint8Array(13)
    const view = new DataView(head.buffer)
    view.setUint32(0, this.width)
    view.setUint32(4, this.height)
    head.set([BIT_DEPTH, PALETTE_COLOR], 8)
    return Buffer.concat([
      SIGNATURE,
      formatChunk('IHDR', head),
      formatChunk('PLTE', Uint8Array.from(this.palette.flat())),
      formatChunk('IDAT', deflateSync(lines)),
      formatChunk('IEND', new Uint8Array()),
    ])
  }
}

function formatChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(data.length + 12)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, data.length + 8)), data.length + 8)
  return chunk
}
