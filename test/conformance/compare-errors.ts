import type { Phase, RunDetail, TestError } from '@runledger/protocol'
import { expect } from 'vitest'

/** What a suite's log says of one test or problem: the text of the errors of each attempt. */
interface LoggedTest {
  name: string
  attempts: string[]
}

export interface ErrorSources {
  log: string
  /** The project's files, by their paths. */
  files: Record<string, string | Uint8Array>
  /** Folders of this machine that no text on record may name. */
  folders: readonly string[]
}

/**
 * Checks the errors that are on record as data: the attempts have errors that have some in the log, with messages that
 * the log has too, at the line of the project that made them, without escape sequences or folders of this machine.
 */
export function compareErrors(run: RunDetail, { log, files, folders }: ErrorSources): void {
  compareSkipped(run, log)
  // On record, files of the project go by their paths within it.
  const logged = readLog(folders.reduce((text, folder) => text.replaceAll(`${folder}/`, ''), log))
  for (const phase of run.phases.filter(({ kind }) => kind !== 'measurement' && kind !== 'step')) {
    const attempts = listAttemptErrors(phase)
    const told = logged.filter(({ name }) => isNameOf(name, phase, files))
    const described = `${phase.outcome} ${phase.name}\n${log}`
    if (told.length > 0 || attempts.flat().length > 0)
      expect(
        told.some((test) => isSame(test, attempts, phase.outcome === 'PASS')),
        described,
      ).toBe(true)
    for (const error of attempts.flat()) {
      for (const folder of folders) expect(JSON.stringify(error)).not.toContain(folder)
      // A backslash that a snippet's source has is two in JSON.
      expect(JSON.stringify(error).replaceAll('\\\\', '')).not.toContain('\\u001b')
      checkPlace(error, files)
    }
  }
}

/** The tests that the log says did not run are on record as such, with their names. */
function compareSkipped({ skipped = [] }: RunDetail, log: string): void {
  const logged = log
    .split('\n')
    .flatMap((line) => /^- (?:skipped|todo|did not run) {2}(.*)$/u.exec(line)?.[1] ?? [])
  expect(skipped.length, log).toBe(logged.length)
  const isLogged = (name: string) =>
    logged.some(
      (line) =>
        name.replace(/ \(\d+\)$/u, '').endsWith(line) ||
        line.startsWith(name.replace(/ \(\d+\)$/u, '')) ||
        name.includes(line.replace(/ \([^()]*\)$/u, '')),
    )
  expect(
    skipped.map(({ name }) => name).filter((name) => !isLogged(name)),
    log,
  ).toEqual([])
}

/** The errors of each attempt; a step that passed has none of its last one. */
function listAttemptErrors({ outcome, error, errors, attempts = [] }: Phase): TestError[][] {
  const last = outcome === 'PASS' ? [] : (errors ?? (error ? [error] : []))
  return [...attempts.slice(0, -1).map((attempt) => attempt.errors ?? []), last]
}

const HEAD = /^[✓✗] (?:passed|failed) {2}(.*?)(?: \(\d+ ms.*\))?$/u
const ERROR_LINE = /^ {6}(?!\| )(.*)$/u

function readLog(log: string): LoggedTest[] {
  const tests: LoggedTest[] = []
  let current: LoggedTest | undefined
  for (const line of log.split('\n')) {
    const name = HEAD.exec(line)?.[1]
    const error = ERROR_LINE.exec(line)?.[1]
    if (name !== undefined) tests.push((current = { name, attempts: [''] }))
    else if (/^\S/u.test(line)) current = undefined
    else if (/^ {4}attempt (?!1:)\d+: /u.test(line)) current?.attempts.push('')
    else if (error !== undefined && current) current.attempts.push(`${current.attempts.pop()}${error}\n`)
  }
  return tests
}

/** A step is named after its file where suites share a run, and numbered where names are equal. */
function isNameOf(logged: string, { name }: Phase, files: ErrorSources['files']): boolean {
  const own = Object.keys(files).find((file) => name.startsWith(`${file} › `))
  const inFile = own === undefined ? name : name.slice(own.length + 3)
  return [name, inFile].some((each) => each === logged || each.replace(/ \(\d+\)$/u, '') === logged)
}

/** An expected failure passes with an error in the log. */
function isSame(test: LoggedTest, attempts: TestError[][], hasPassed: boolean): boolean {
  const last = attempts.length - 1
  return (
    test.attempts.length === attempts.length &&
    attempts.every((errors, index) => {
      const text = test.attempts[index] ?? ''
      const hasOne = errors.length > 0 || text.trim() === '' || (hasPassed && index === last)
      return hasOne && errors.every(({ message }) => hasMessage(text, message))
    })
  )
}

/** Folders are named otherwise on record. */
function hasMessage(text: string, message: string): boolean {
  const lines = message.split('\n').filter((line) => !line.includes('/') && !line.includes('…'))
  return lines.every((line) => text.includes(line.trimEnd()))
}

/** An error with a text that one line of the project makes alone is at that line, and its snippet marks it. */
function checkPlace({ message, location, snippet }: TestError, files: ErrorSources['files']): void {
  const lines = Object.entries(files).flatMap(([file, content]) =>
    String(content)
      .split('\n')
      .map((text, index) => ({ file, line: index + 1, text })),
  )
  const makers = lines.filter(({ text }) => {
    // Also the beginning of one, as in new Error('try no. ' + count).
    const made = /new Error\('([^'\\]{4,})'/u.exec(text)?.[1]
    return made !== undefined && message.includes(made)
  })
  const [maker] = makers
  if (maker && makers.length === 1)
    expect(location, message).toMatchObject({ file: maker.file, line: maker.line })
  if (snippet === undefined || location === undefined) return
  const marked = /^\s*>\s*(\d+)\s*\|(.*)$/mu.exec(snippet.replaceAll(/\u001B\[[\d;]*m/gu, ''))
  const source = lines.find(({ file, line }) => file === location.file && line === Number(marked?.[1]))
  if (source) expect(marked?.[2]?.trim()).toBe(source.text.trim())
}
