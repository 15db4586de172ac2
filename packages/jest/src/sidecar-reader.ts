import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import path from 'node:path'
import type { SidecarEvent, SidecarLine } from './sidecar'
import { selectSession, type ReceivedEvent, type Session, type SessionQuery } from './sidecar-session'

interface IdentifiedSession extends Session {
  id: string
}

const CHUNK_BYTES = 1024 * 1024

/** Reads the sidecar files of workers. Never throws: unreadable data is skipped. */
export class SidecarReader {
  readonly #sessions = new Map<string, IdentifiedSession>()
  readonly #tails = new Map<string, { offset: number; rest: Buffer }>()

  constructor(private readonly folder: string) {}

  take(query: SessionQuery): ReceivedEvent[] {
    const session = this.#find(query)
    if (session === undefined) return []
    this.#sessions.delete(session.id)
    return session.events
  }

  /** A copy of the events so far of a running file. */
  peek(query: SessionQuery): ReceivedEvent[] {
    return structuredClone(this.#find(query)?.events ?? [])
  }

  #find(query: SessionQuery): IdentifiedSession | undefined {
    this.#readNew()
    return selectSession(this.#sessions.values(), query)
  }

  #readNew(): void {
    try {
      for (const name of readdirSync(this.folder)) if (name.endsWith('.jsonl')) this.#readFile(name)
    } catch {
      // The folder was removed with its events.
    }
  }

  /** Up to the last whole line: the worker may be writing or have crashed. */
  #readFile(name: string): void {
    const tail = this.#tails.get(name) ?? { offset: 0, rest: Buffer.alloc(0) }
    this.#tails.set(name, tail)
    const file = openSync(path.join(this.folder, name), 'r')
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      for (let size = 0; (size = readSync(file, chunk, 0, CHUNK_BYTES, tail.offset)) > 0;) {
        tail.offset += size
        const bytes = Buffer.concat([tail.rest, chunk.subarray(0, size)])
        const end = bytes.lastIndexOf('\n') + 1
        for (const line of bytes.toString('utf8', 0, end).split('\n')) this.#readLine(line)
        tail.rest = Buffer.from(bytes.subarray(end))
      }
    } finally {
      closeSync(file)
    }
  }

  #readLine(text: string): void {
    const line = parseLine(text)
    if (line === undefined) return
    const { session: id } = line
    if ('path' in line) this.#sessions.set(id, { id, path: line.path, events: [] })
    else this.#sessions.get(id)?.events.push({ test: line.test, event: this.#locate(line.event) })
  }

  #locate(event: SidecarEvent): ReceivedEvent['event'] {
    if (event.kind !== 'file') return event
    const { file = '', ...rest } = event
    return { ...rest, path: path.join(this.folder, path.basename(file)) }
  }
}

function parseLine(text: string): SidecarLine | undefined {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as SidecarLine
  } catch {
    return undefined
  }
}
