import { expect, it } from 'vitest'
import type { OutputEntry } from '@runledger/core'
import { addOutput, MAX_OUTPUT_LENGTH } from './limit-output'

const entryOf = (text: string): OutputEntry => ({ stream: 'stdout', text, atMs: 1 })
const lengthOf = (entries: OutputEntry[]): number => entries.reduce((sum, { text }) => sum + text.length, 0)

it('keeps all output below the limit', () => {
  const entries: OutputEntry[] = []
  for (let n = 0; n < 100; n += 1) addOutput(entries, entryOf(`${n}`))
  expect(entries).toEqual(Array.from({ length: 100 }, (_, n) => entryOf(`${n}`)))
})

it('keeps the beginning and the end of endless output, with one line about what is left out', () => {
  const entries: OutputEntry[] = []
  const line = (n: number): string => `${n} ${'x'.repeat(90)}\n`
  const count = 500_000
  let written = 0
  for (let n = 0; n < count; n += 1) {
    written += line(n).length
    addOutput(entries, entryOf(line(n)))
    if (n % 50_000 === 0) expect(lengthOf(entries)).toBeLessThan(MAX_OUTPUT_LENGTH * 1.5)
  }
  expect(entries[0]?.text).toBe(line(0))
  expect(entries.at(-1)?.text).toBe(line(count - 1))
  const marks = entries.filter(({ text }) => text.includes('left out'))
  expect(marks).toHaveLength(1)
  const omitted = Number(/\d+/.exec(marks[0]?.text ?? '')?.[0])
  expect(lengthOf(entries) - (marks[0]?.text.length ?? 0) + omitted).toBe(written)
  const numbers = entries.filter((entry) => entry !== marks[0]).map(({ text }) => Number.parseInt(text, 10))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

it('cuts one long text in its middle, between lines', () => {
  const entries: OutputEntry[] = []
  const text = Array.from({ length: 200_000 }, (_, n) => `line ${n}`).join('\n')
  addOutput(entries, entryOf(text))
  const lines = entries[0]?.text.split('\n') ?? []
  expect(lines[0]).toBe('line 0')
  expect(lines.at(-1)).toBe('line 199999')
  const mark = lines.findIndex((line) => line.startsWith('… '))
  expect(lines[mark]).toMatch(/^… \d+ characters of output left out here$/)
  expect([lines[mark - 1], lines[mark + 1]]).toEqual([
    expect.stringMatching(/^line \d+$/),
    expect.stringMatching(/^line \d+$/),
  ])
  expect(lengthOf(entries)).toBeLessThan(MAX_OUTPUT_LENGTH / 8 + 100)
})
