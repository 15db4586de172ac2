import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { dropChanging, findProjectFrame, fingerprintText } from './error-fingerprint'
import { ERROR_BYTES } from './resources/test-fact-limits'

const FRAME = '    at add (src/cart.test.ts:10:5)'

function fingerprint(message: string, stack = `Error: ${message}\n${FRAME}`): string {
  return fingerprintOf({ message, stack })
}

function fingerprintOf(error: Parameters<typeof fingerprintText>[0]): string {
  return createHash('sha256').update(fingerprintText(error)).digest('hex')
}

describe('errors are the same when only', () => {
  it.each([
    ['a number changes', 'expected 3 to be 4', 'expected 17 to be -2.5'],
    ['a number with a unit changes', 'Timeout of 5000ms exceeded', 'Timeout of 30000ms exceeded'],
    ['digits in a name change', 'no row user42', 'no row user7'],
    ['a number has an exponent', 'got 1e21', 'got 5'],
    ['a number is hexadecimal', 'at address 0xDEADBEEF', 'at address 0x00ff'],
    ['a commit changes', 'built from 3f2a9c1', 'built from 0b7d1e4cafe0b7d1e4cafe0b7d1e4cafe0b7d1e4'],
    [
      'a UUID changes',
      'order 123e4567-e89b-42d3-a456-426614174000 is gone',
      'order 00000000-0000-4000-8000-000000000000 is gone',
    ],
    ['a time changes', 'at 2026-11-24T09:00:00.123Z it stopped', 'at 2025-01-02 03:04:05+01:00 it stopped'],
    ['a day changes', 'not before 2026-11-24', 'not before 2031-02-01'],
    ['the time of day changes', 'closed at 9:30', 'closed at 11:05:59 PM'],
    ['a value in double quotes changes', 'Expected: "red"', 'Expected: "it is \'blue\'"'],
    ['a value in single quotes changes', "locator('#buy') not found", "locator('.pay') not found"],
    ['a value in backquotes changes', 'no `a`', 'no `b c`'],
    ['a path changes', 'ENOENT: open /home/ci/a/b.txt', 'ENOENT: open /tmp/x.log'],
    ['a path is one of Windows', 'cannot read /srv/data/a.json', 'cannot read C:\\data\\b.json'],
    ['a relative path changes', 'Cannot find src/a/b.ts', 'Cannot find ../lib/c.ts'],
    ['an address changes', 'GET http://127.0.0.1:43211/a?b=1 failed', 'GET https://example.com/ failed'],
    ['white space changes', 'a\n\n  b', 'a b '],
    [
      'a time is one of Date',
      'before Mon Nov 24 2026 09:00:00 GMT+0000 (Coordinated Universal Time)',
      'before Tue Mar 03 2026 18:30:59 GMT-0500',
    ],
    [
      'a UUID stands behind a name',
      'no user_123e4567-e89b-42d3-a456-426614174000',
      'no user_00000000-0000-4000-8000-000000000000',
    ],
    ['hexadecimal digits stand behind a name', 'no sess_3f2a9c1b', 'no sess_0b7d1e4cafe0'],
    ['a colour changes', 'is #ff00aa now', 'is #FFFFFF now'],
    ['a quoted value has several lines', 'got "one\ntwo" back', 'got "three" back'],
    ['a path has letters of others', 'open /home/jürgen/a.ts failed', 'open /home/li/a.ts failed'],
    ['a path has blanks', 'open /home/Jane Doe (1)/a.ts failed', 'open /home/li/a.ts failed'],
    ['a path of Windows has blanks', 'open C:\\Users\\Jane Doe\\a.ts failed', 'open C:\\u\\a.ts failed'],
    ['an address is one of IPv6', 'connect to fe80::1ff:fe23:4567:890a', 'connect to ::1'],
    ['an address has a port', 'refused 127.0.0.1:3000', 'refused 10.0.0.112:443'],
    ['lines of the message are like frames', 'timeout\nat db1.local:5432', 'timeout\nat db2.local:5432'],
    ['an account in the message is like a frame', 'no user42@db.local:5432', 'no user7@db.local:5432'],
  ])('%s', (_, one, other) => {
    expect(fingerprint(one)).toBe(fingerprint(other))
  })

  it.each([
    ['the line of the frame changes', FRAME, '    at add (src/cart.test.ts:99:1)'],
    [
      'frames of Node and of dependencies come before',
      FRAME,
      `    at node:internal/a:1:2\n    at x (node_modules/chai/index.js:1:2)\n${FRAME}`,
    ],
    ['frames after the first one change', FRAME, `${FRAME}\n    at main (src/main.ts:1:1)`],
    [
      'the path is one of a machine',
      '    at add (/home/a/src/cart.test.ts:1:1)',
      '    at add (file:///builds/7/src/cart.test.ts:1:1)',
    ],
    [
      'the same is Windows’s',
      '    at add (/home/a/src/cart.test.ts:1:1)',
      '    at add (D:\\a\\cart.test.ts:1:1)',
    ],
    [
      'a server of modules stands before the path',
      FRAME,
      '    at add (http://localhost:5173/src/cart.test.ts?t=1732:10:5)',
    ],
    ['it comes from Firefox', FRAME, 'add@http://localhost:5173/src/cart.test.ts:10:5'],
    [
      'what a page was told to run comes before',
      FRAME,
      `    at eval (eval at evaluate (:234:30), <anonymous>:2:15)\n${FRAME}`,
    ],
    [
      'a folder has blanks and parentheses',
      '    at add (/home/a/cart.test.ts:1:1)',
      '    at add (/home/Jane Doe (1)/cart.test.ts:1:1)',
    ],
    [
      'a folder has blanks where no function is named',
      '    at C:\\proj\\a.ts:9:9',
      '    at C:\\Users\\Jane Doe\\proj\\a.ts:4:14',
    ],
    ['a place without a function is awaited', '    at src/a.ts:1:1', '    at async src/a.ts:1:1'],
    ['a line with an address comes before', FRAME, `  see user@db.local:5432\n${FRAME}`],
    ['it is written by Vitest', FRAME, ' ❯ add src/cart.test.ts:10:5'],
    ['the function is called in another way', FRAME, '    at async add [as plus] (src/cart.test.ts:10:5)'],
    [
      'a function without a name is of another object',
      '    at Object.<anonymous> (a.ts:1:1)',
      '    at a.ts:9:9',
    ],
  ])('%s', (_, one, other) => {
    expect(fingerprint('boom', one)).toBe(fingerprint('boom', other))
  })
})

describe('errors are others when', () => {
  it.each([
    ['words change', 'expected 3 to be 4', 'expected 3 to equal 4'],
    ['case changes', 'no Row', 'no row'],
    ['a quoted value became one without quotes', 'got "a"', 'got undefined'],
    ['words between paths change', 'moved /a/b or lib/c', 'moved /a/b to lib/c'],
    ['names have colons', 'no Add::first', 'no Add::second'],
    ['there is one number more', 'got 1', 'got 1 and 2'],
    ['an apostrophe is no quote', "can't open, won't try", "can't close, won't try"],
  ])('%s', (_, one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other))
  })

  it.each([
    ['the file changes', '    at add (src/other.test.ts:10:5)'],
    ['the function changes', '    at remove (src/cart.test.ts:10:5)'],
    ['there is no frame of the project', '    at x (node_modules/a/b.js:1:2)'],
    ['there is no stack', ''],
  ])('%s', (_, stack) => {
    expect(fingerprint('boom', stack)).not.toBe(fingerprint('boom', FRAME))
  })
})

it('takes the file of the location where the stack names none of the project', () => {
  const location = { file: 'src/a.ts', line: 3 }
  const without = fingerprintOf({ message: 'boom', location })
  expect(without).toBe(
    fingerprintOf({ message: 'boom', stack: 'boom', location: { file: './src/a.ts', line: 9 } }),
  )
  expect(without).not.toBe(fingerprintOf({ message: 'boom', location: { file: 'src/b.ts' } }))
})

it('is SHA-256 in hexadecimal digits, the same in every release', () => {
  expect(fingerprint('expected 3 to be 4')).toBe(
    '7229599c13c0cb58effda75604f92d157182f2f2d624f6046248f632bada4a11',
  )
})

it('ignores colours, and what is beyond the text that is kept', () => {
  expect(fingerprint('\u001B[31mboom\u001B[39m', `Error: boom\n${FRAME}`)).toBe(fingerprint('boom'))
  expect(fingerprint('boom', `Error: \u001B[31mboom\u001B[39m\n${FRAME}`)).toBe(fingerprint('boom'))
  const long = 'x'.repeat(2 * ERROR_BYTES.message)
  expect(fingerprint(`${long}one`, FRAME)).toBe(fingerprint(`${long}other`, FRAME))
})

it('leaves readable what stays', () => {
  expect(dropChanging('page.goto: net::ERR_FAILED at http://a.test:1/x, tried 3 times')).toBe(
    'page.goto: net::ERR_FAILED at <url> tried <n> times',
  )
  expect(findProjectFrame('Error: at the end\n    at new Cart (src/cart.ts:1:2)')).toBe('src/cart.ts Cart')
})

it.each([
  ['quotes', `"'\``],
  ['slashes', '/'],
  ['letters', 'a'],
  ['dots and letters', 'a.'],
  ['hexadecimal letters', 'f'],
  ['digits', '1'],
  ['digits and dots', '1.'],
  ['a scheme', 'a://'],
  ['blanks', ' '],
  ['lines that begin like frames', '\n at ('],
  ['colons and digits', ':1'],
  ['groups of an address', 'fe80:'],
  ['a doubled colon', '1::'],
  ['dotted numbers', '1.2.3.'],
  ['names with blanks in a path', '/Aa (B'],
  ['names with blanks', 'Aa B '],
  ['letters of others', 'é/'],
  ['colours', '#f0'],
  ['days', 'Mon Nov 24 '],
  ['accounts', 'a@/'],
])('takes no time for a megabyte of %s', (_, piece) => {
  const text = `${piece.repeat(1_000_000 / piece.length)}!`
  const beganAt = performance.now()
  dropChanging(text)
  fingerprintOf({ message: 'boom', stack: text })
  expect(performance.now() - beganAt).toBeLessThan(2_000)
})
