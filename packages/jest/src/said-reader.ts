import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import path from 'node:path'
import type { Said, SaidFile } from '@runledger/core/test-side'
import type { NamedKey, TestKey } from './find-test'
import type { JestFileResult } from './jest-types'
import type { SaidOutput, SidecarLine, Told } from './sidecar'

/** Something that was said, and where: in a test, or (null) outside of all tests. */
export interface PlacedSaid {
  test: TestKey | NamedKey | null
  said: Said | Attached | SaidOutput
}

/** A file that was attached, with the path that it was kept at. */
export interface Attached extends Omit<SaidFile, 'file' | 'base64'> {
  path: string
}

/** A test file's run as the reporter knows it, to find what was said in it. */
export interface TestWindow {
  path: string
  /** When the reporter heard of its start. */
  startedAtMs?: number | undefined
  /** The path ran in another project at the same time: what lies there may be of that. */
  isShared?: boolean | undefined
  /** What Jest tells in the end; absent for a file that was cut short. */
  result?: Pick<JestFileResult, 'perfStats' | 'testResults' | 'console'> | undefined
}

/** The run of one test file in one worker. */
interface Session {
  path: string
  said: PlacedSaid[]
}

const CHUNK_BYTES = 1024 * 1024

/** Reads what workers have appended to their sidecar files. Nothing here throws: what cannot be read is not there. */
export class SaidReader {
  readonly #sessions = new Map<string, Session>()
  readonly #tails = new Map<string, { offset: number; rest: Buffer }>()

  constructor(private readonly folder: string) {}

  /** Takes what was said in one run of a test file; nothing is answered twice. */
  take(window: TestWindow): PlacedSaid[] {
    this.#readNew()
    const candidates = [...this.#sessions].filter(([, session]) => session.path === window.path)
    const isClear = candidates.length < 2 && !window.isShared
    const found = isClear ? candidates[0] : chooseSession(candidates, window)
    if (found === undefined) return []
    this.#sessions.delete(found[0])
    return found[1].said
  }

  #readNew(): void {
    try {
      for (const name of readdirSync(this.folder)) if (name.endsWith('.jsonl')) this.#readFile(name)
    } catch {
      // The folder is gone: so is what was said.
    }
  }

  /** Up to the last whole line: a worker may be writing, or have crashed while it did. */
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
    if ('path' in line) this.#sessions.set(line.session, { path: line.path, said: [] })
    else this.#sessions.get(line.session)?.said.push({ test: line.test, said: this.#locate(line.said) })
  }

  #locate(said: Told): PlacedSaid['said'] {
    if (said.kind !== 'file') return said
    const { file = '', ...rest } = said
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

const CLOCK_TOLERANCE_MS = 20

/**
 * A path may run in two projects at once, or again where a worker died (jest-worker tries it three times): the run's own
 * span tells them apart, and of several that fit the one whose tests began when this run's did. Of a crash, which has no
 * span, the last one counts.
 */
function chooseSession(
  candidates: readonly [string, Session][],
  { startedAtMs = 0, result }: TestWindow,
): [string, Session] | undefined {
  const perfStats = result?.perfStats.start ? result.perfStats : undefined
  const start = (perfStats?.start ?? startedAtMs) - CLOCK_TOLERANCE_MS
  const end = (perfStats?.end ?? Infinity) + CLOCK_TOLERANCE_MS
  const starts = perfStats && result ? listStarts(result) : []
  const fitting = candidates.flatMap((candidate) => {
    const { said } = candidate[1]
    if (perfStats && result && !hasRunAll(result, candidate[1])) return []
    const [first = 0, last = 0] = [said[0]?.said.atMs, said.at(-1)?.said.atMs]
    return first >= start && last <= end ? [{ candidate, last, gapMs: measureGap(candidate[1], starts) }] : []
  })
  return fitting.sort((a, b) => a.gapMs - b.gapMs || b.last - a.last)[0]?.candidate
}

/** Jest 30 tells when the last attempt of a test began: by the same clock, and to the millisecond. */
const START_TOLERANCE_MS = 1

/** False for a session that speaks of a test that did not run in this run, or (Jest 30) began at another time in it. */
function hasRunAll({ testResults }: Pick<JestFileResult, 'testResults'>, { said }: Session): boolean {
  const ran = testResults.filter(({ duration }) => typeof duration === 'number')
  return said.every(({ test }) => {
    if (test === null) return true
    const name = 'titles' in test ? test.titles.join(' ') : test.fullName
    const named = ran.filter(({ ancestorTitles, title }) => [...ancestorTitles, title].join(' ') === name)
    return named.some(({ startAt, invocations = 1 }) => {
      const isLast = 'attempt' in test && test.attempt === invocations
      if (!isLast || typeof startAt !== 'number' || test.startedAtMs === undefined) return true
      return Math.abs(startAt - test.startedAtMs) <= START_TOLERANCE_MS
    })
  })
}

/** When the tests of a run began. Jest 29 does not tell: they ended one after the other when the run did. */
function listStarts({ perfStats, testResults }: Pick<JestFileResult, 'perfStats' | 'testResults'>): number[] {
  let nextMs = perfStats.end
  return testResults.toReversed().flatMap(({ startAt, duration }) => {
    if (typeof duration !== 'number') return []
    nextMs -= duration
    return [startAt ?? nextMs]
  })
}

/** How far the tests of a session began from those of a run, in milliseconds, all together. */
function measureGap({ said }: Session, starts: readonly number[]): number {
  const own = new Set(
    said.flatMap(({ test }) => (test && 'startedAtMs' in test ? (test.startedAtMs ?? []) : [])),
  )
  const gaps = [...own].map((atMs) =>
    starts.reduce((nearest, each) => Math.min(nearest, Math.abs(each - atMs)), Infinity),
  )
  return gaps.filter(Number.isFinite).reduce((sum, gap) => sum + gap, 0)
}
