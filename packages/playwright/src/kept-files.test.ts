import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestCase, TestResult } from '@playwright/test/reporter'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AttemptNote } from './attempt-notes'
import { KeptFiles, type PreserveOutput } from './kept-files'

let project: string
let note: AttemptNote
let opened: KeptFiles[] = []

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'runledger-kept-'))
  mkdirSync(path.join(project, 'test-results/a'), { recursive: true })
  note = { startedAtMs: 0, isOver: true, output: [], keptPaths: new Map() }
})
afterEach(() => {
  for (const files of opened) files.remove()
  opened = []
  rmSync(project, { recursive: true })
})

function createTest(): TestCase {
  const outputDir = path.join(project, 'test-results')
  return { expectedStatus: 'passed', parent: { project: () => ({ outputDir }) } } as unknown as TestCase
}

function attach(name: string, status: TestResult['status'], text = 'bytes'): TestResult {
  const file = path.join(project, name)
  writeFileSync(file, text)
  const attachments = [{ name: 'file', contentType: 'text/plain', path: file }]
  return { status, attachments } as unknown as TestResult
}

function keep(preserveOutput: PreserveOutput, result: TestResult): KeptFiles {
  const files = new KeptFiles(preserveOutput)
  opened.push(files)
  files.keepAtEnd(createTest(), result, note)
  return files
}

const readKept = () => [...note.keptPaths.values()].map((file) => readFileSync(file, 'utf8'))

describe('KeptFiles', () => {
  it.each([
    ['always', 'passed', 0],
    ['failures-only', 'failed', 0],
    ['failures-only', 'passed', 1],
    ['never', 'failed', 1],
  ] as const)('under preserveOutput %s keeps of a test that %s %i files', (preserveOutput, status, count) => {
    keep(preserveOutput, attach('test-results/a/trace.zip', status))
    expect(note.keptPaths.size).toBe(count)
  })

  it('keeps the bytes when Playwright removes the folder', () => {
    keep('never', attach('test-results/a/trace.zip', 'passed', 'trace'))
    rmSync(path.join(project, 'test-results/a'), { recursive: true })
    expect(readKept()).toEqual(['trace'])
  })

  it('keeps a file while the test runs, with what is written to it later', () => {
    const result = attach('test-results/a/video.webm', 'passed', 'first')
    new KeptFiles('never').keepEarly(createTest(), result, note)
    writeFileSync(path.join(project, 'test-results/a/video.webm'), 'first and second')
    expect(readKept()).toEqual(['first and second'])
  })

  it('keeps a file of the user as it was when the test ended', () => {
    const result = attach('reading.txt', 'failed', '3.3 V')
    keep('always', result)
    writeFileSync(path.join(project, 'reading.txt'), '5.0 V')
    expect(readKept()).toEqual(['3.3 V'])
  })

  it('leaves a missing file to its own path', () => {
    const result = attach('gone.txt', 'passed')
    rmSync(path.join(project, 'gone.txt'))
    keep('always', result)
    expect(note.keptPaths.size).toBe(0)
  })

  it('leaves a pipe to its own path, since reading it may never end', () => {
    const result = attach('pipe', 'passed')
    rmSync(path.join(project, 'pipe'))
    execFileSync('mkfifo', [path.join(project, 'pipe')])
    keep('always', result)
    expect(note.keptPaths.size).toBe(0)
  })

  it('creates no output folder for a file of the user', () => {
    rmSync(path.join(project, 'test-results'), { recursive: true })
    keep('always', attach('reading.txt', 'passed', '3.3 V'))
    expect(readKept()).toEqual(['3.3 V'])
    expect(readdirSync(project)).toEqual(['reading.txt'])
  })

  it('keeps files after another execution has cleared the output folder', () => {
    const files = keep('never', attach('test-results/a/first.zip', 'passed', 'first'))
    const [lost] = note.keptPaths.values()
    rmSync(path.dirname(lost ?? ''), { recursive: true })
    files.keepAtEnd(createTest(), attach('test-results/a/second.zip', 'passed', 'second'), note)
    const [, second] = note.keptPaths.values()
    expect(readFileSync(second ?? '', 'utf8')).toBe('second')
  })

  it.each(['keepEarly', 'keepAtEnd'] as const)('throws nothing when %s can write nowhere', (moment) => {
    const outputDir = path.join(project, 'reading.txt')
    const result = attach('reading.txt', 'passed')
    const test = {
      expectedStatus: 'passed',
      parent: { project: () => ({ outputDir }) },
    } as unknown as TestCase
    result.attachments.push({
      name: 'inside',
      contentType: 'text/plain',
      path: path.join(outputDir, 'x.txt'),
    })
    const files = new KeptFiles('never')
    opened.push(files)
    expect(() => files[moment](test, result, note)).not.toThrow()
  })

  it('removes everything in the end', () => {
    const files = keep('never', attach('test-results/a/trace.zip', 'passed'))
    const [kept] = note.keptPaths.values()
    files.remove()
    expect(existsSync(kept ?? '')).toBe(false)
    expect(readdirSync(path.join(project, 'test-results'))).toEqual(['a'])
  })
})
