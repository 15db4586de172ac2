/** Reads the fields of a binary record one after another; those that the record ends before are undefined. */
export class FieldReader {
  readonly #view: DataView
  readonly #isLittle: boolean
  #at = 0

  constructor(bytes: Uint8Array, isLittle: boolean) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#isLittle = isLittle
  }

  u1(): number | undefined {
    return this.#take(1, (at) => this.#view.getUint8(at))
  }

  i1(): number | undefined {
    return this.#take(1, (at) => this.#view.getInt8(at))
  }

  u2(): number | undefined {
    return this.#take(2, (at) => this.#view.getUint16(at, this.#isLittle))
  }

  i2(): number | undefined {
    return this.#take(2, (at) => this.#view.getInt16(at, this.#isLittle))
  }

  u4(): number | undefined {
    return this.#take(4, (at) => this.#view.getUint32(at, this.#isLittle))
  }

  r4(): number | undefined {
    return this.#take(4, (at) => toShortest(this.#view.getFloat32(at, this.#isLittle)))
  }

  /** A text with its length before it; undefined where it is empty. */
  text(): string | undefined {
    const length = this.u1()
    if (length === undefined) return undefined
    const end = Math.min(this.#at + length, this.#view.byteLength)
    const bytes = new Uint8Array(this.#view.buffer, this.#view.byteOffset + this.#at, end - this.#at)
    this.#at = end
    return Buffer.from(bytes).toString('latin1').replaceAll('\0', '').trim() || undefined
  }

  /** Reads numbers of 4 bytes. Returns fewer if the record ends first. */
  r4s(count: number): number[] {
    const rest = Math.floor((this.#view.byteLength - this.#at) / 4)
    return Array.from({ length: Math.max(0, Math.min(count, rest)) }, () => this.r4() as number)
  }

  skip(count: number): void {
    this.#at += count
  }

  #take(size: number, read: (at: number) => number): number | undefined {
    const at = this.#at
    this.#at += size
    return at + size <= this.#view.byteLength ? read(at) : undefined
  }
}

/** A float of 4 bytes as the shortest decimal that stands for it: 3.3, not 3.299999952316284. */
function toShortest(value: number): number {
  if (!Number.isFinite(value)) return value
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
  return value
}
