import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A type as `v2-resources.md` writes it. */
export type Shape =
  | { kind: 'object'; fields: ShapeField[] }
  | { kind: 'map'; value: Shape }
  | { kind: 'list'; item: Shape }
  | { kind: 'union'; members: Shape[] }
  | { kind: 'literal'; value: string }
  | { kind: 'string' | 'date-time' | 'integer' | 'number' | 'boolean' | 'null' | 'any' }

export interface ShapeField {
  name: string
  isOptional: boolean
  shape: Shape
}

/** One section of the file: an operation with its statuses and shapes. */
export interface ShapedOperation {
  method: string
  path: string
  statuses: number[]
  request: ShapeField[]
  response: Shape
}

/** A copy of the contract's file, which a clone of this repository has not. */
const FILE = path.join(path.dirname(fileURLToPath(import.meta.url)), 'v2-resources.md')

export function readShapedOperations(): ShapedOperation[] {
  const [, ...sections] = readFileSync(FILE, 'utf8').split(/^## /m)
  return sections.map(parseSection)
}

function parseSection(section: string): ShapedOperation {
  const [head = '', ...lines] = section.split('\n')
  const [method = '', address = ''] = head.split(/\s+/)
  const text = lines.join('\n')
  const request = cutPart(text, /^request: /m, /^response: /m)
  const requestShape = request === undefined ? undefined : parseShape(request)
  return {
    method,
    path: address,
    statuses: (/^statuses: (.*)$/m.exec(text)?.[1] ?? '').split(', ').map(Number),
    request: requestShape?.kind === 'object' ? requestShape.fields : [],
    response: parseShape(cutPart(text, /^response: /m, undefined) ?? 'any'),
  }
}

function cutPart(text: string, from: RegExp, to: RegExp | undefined): string | undefined {
  const start = from.exec(text)
  if (!start) return undefined
  const rest = text.slice(start.index + start[0].length)
  const end = to?.exec(rest)
  return end ? rest.slice(0, end.index) : rest
}

const TOKEN = /"[^"]*"|string\(date-time\)|[A-Za-z_*][\w-]*|-?\d+(?:\.\d+)?|[{}[\]:|=?]/g

/** @throws Error for what the file's notation does not have, so that nothing in it is passed over */
function parseShape(text: string): Shape {
  const tokens = text.match(TOKEN) ?? []
  const reader = new ShapeReader(tokens)
  const shape = reader.readUnion()
  reader.expectEnd()
  return shape
}

class ShapeReader {
  #at = 0

  constructor(private readonly tokens: readonly string[]) {}

  expectEnd(): void {
    if (this.#at < this.tokens.length) throw new Error(`unread: ${this.tokens.slice(this.#at).join(' ')}`)
  }

  readUnion(): Shape {
    const members = [this.#readOne()]
    while (this.#take('|')) members.push(this.#readOne())
    // A default, which says nothing about the shape.
    if (this.#take('=')) this.#next()
    const [only] = members
    return members.length === 1 && only ? only : { kind: 'union', members }
  }

  #readOne(): Shape {
    const token = this.#next()
    if (token === '{') return this.#readObject()
    if (token === '[') {
      const item = this.readUnion()
      this.#expect(']')
      return { kind: 'list', item }
    }
    if (token.startsWith('"')) return { kind: 'literal', value: token.slice(1, -1) }
    const kind = SIMPLE[token]
    if (!kind) throw new Error(`unknown type ${token}`)
    return { kind }
  }

  #readObject(): Shape {
    if (this.#take('*')) {
      this.#expect(':')
      const value = this.readUnion()
      this.#expect('}')
      return { kind: 'map', value }
    }
    const fields: ShapeField[] = []
    while (!this.#take('}')) {
      const name = this.#next()
      const isOptional = this.#take('?')
      this.#expect(':')
      fields.push({ name, isOptional, shape: this.readUnion() })
    }
    return { kind: 'object', fields }
  }

  #next(): string {
    const token = this.tokens[this.#at]
    if (token === undefined) throw new Error('the shape ends early')
    this.#at += 1
    return token
  }

  #take(token: string): boolean {
    if (this.tokens[this.#at] !== token) return false
    this.#at += 1
    return true
  }

  #expect(token: string): void {
    const found = this.#next()
    if (found !== token) throw new Error(`expected ${token}, found ${found}`)
  }
}

type SimpleKind = 'string' | 'date-time' | 'integer' | 'number' | 'boolean' | 'null' | 'any'

const SIMPLE: Readonly<Record<string, SimpleKind>> = {
  string: 'string',
  'string(date-time)': 'date-time',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  any: 'any',
}
