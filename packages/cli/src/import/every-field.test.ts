import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { AttachmentFinder } from './attachments'
import { readResults } from './formats'
import { readXml } from '@runledger/readers'

const RECORDINGS = fileURLToPath(new URL('../../recordings/files', import.meta.url))

/** Counts follow from the tests, and an XML schema says nothing of them. */
const LEFT_OUT = new Set([
  'tests',
  'failures',
  'errors',
  'skipped',
  'disabled',
  'xmlns:xsi',
  'xsi:noNamespaceSchemaLocation',
  'version',
])

/** What a tool's file says that its record does not say with the same words. */
const NOT_ON_RECORD = {
  // Facts of the machine.
  'surefire.xml': [
    'property name: java.class.path',
    'property value: /project/target/test-classes:/project/ta',
    'property name: user.name',
    'property value: root',
  ],
  // The reason is told without the lines around it; the time is that of all packages.
  'gotestsum.xml': ['skipped message: === RUN TestIsBlue lamp_test.go:24: no l', 'testsuites time: 1.203576'],
  // `describe` blocks are titles: their times are those of their tests.
  'node-test-24.xml': [
    'testcase classname: lamp.colour',
    'testsuite time: 0.002963',
    'testsuite timestamp: 2026-11-25T18:47:44.910Z',
    'testsuite time: 0.041484',
    'testsuite time: 0.013657',
    'testsuite timestamp: 2026-11-25T18:47:44.920Z',
  ],
  // Attachments, whose files are not in this repository; the matcher's name is in the message.
  'playwright.xml': [
    'system-out: [[ATTACHMENT|test-results/broken-lights-',
    'system-out: [[ATTACHMENT|test-results/lamp-lamp-is-r',
    'failure type: expect.toBe',
    'system-out: [[ATTACHMENT|test-results/lamp-lamp-flic',
    'system-out: [[ATTACHMENT|test-results/lamp-lamp-is-d',
    'system-out: [[ATTACHMENT|test-results/lamp-times-out',
    'testsuites time: 31.357867',
  ],
  // Escape sequences are restored; of a skipped test the reason is told.
  'pytest-xunit1.xml': [
    String.raw`failure message: AssertionError: assert 'green\x1b[31m' =`,
    'failure: self = <test_lamp.TestLamp object at 0x7',
    'skipped type: pytest.skip',
    'skipped: /project/test_lamp.py:9: no lamp here',
    'skipped type: pytest.xfail',
    'testsuite time: 0.134',
    'testsuites name: pytest tests',
  ],
}

it.each(Object.entries(NOT_ON_RECORD))('keeps every value of %s', (name, expected) => {
  const text = readFileSync(path.join(RECORDINGS, name), 'utf8')
  const attachments = new AttachmentFinder([])
  const context = {
    fileName: 'results',
    projectRoot: '/project',
    writtenAtMs: 0,
    isLocalTime: false,
    attachments,
  }
  const record = readResults(text, undefined, context)
  const values = collect(record.suites)
  const told = squeeze(values.join('\n'))
  const missing = listValues(text).filter(
    ([, value]) =>
      !told.includes(squeeze(value)) && !listOtherForms(value).some((form) => values.includes(form)),
  )
  expect(missing.map(([where, value]) => `${where}: ${squeeze(value).slice(0, 40)}`)).toEqual(expected)
})

/** All attributes and texts of a file, each with where it stands. */
function listValues(text: string): [where: string, value: string][] {
  const found: [string, string][] = []
  readXml(text, {
    onOpen: () => undefined,
    onClose({ name, attributes, text: own }) {
      for (const [key, value] of Object.entries(attributes))
        if (!LEFT_OUT.has(key)) found.push([`${name} ${key}`, value])
      found.push([name, own])
      return true
    },
    onComment: () => undefined,
  })
  return found
}

/** A time is a number on record, in milliseconds; a path is relative to the project. */
function listOtherForms(value: string): unknown[] {
  const ms = Number(value) * 1000
  return [Math.round(ms * 1000) / 1000, ms, Date.parse(value), value.replace('/project/', '')]
}

function collect(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(collect)
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
