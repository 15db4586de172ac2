import { describe, expect, it } from 'vitest'
import { highlightLines } from './highlight'

/** The parts of lines that have a look, each with the end of its class. */
function looksOf(file: string, ...lines: string[]): string[][] {
  const colored = highlightLines(lines, file) ?? []
  expect(colored.map((parts) => parts.map(({ text }) => text).join(''))).toEqual(lines)
  return colored.map((parts) =>
    parts
      .filter(({ className }) => className !== '')
      .map(({ text, className }) => `${className.split('-').at(-1)} ${text}`),
  )
}

describe('the colours of code', () => {
  it('distinguish keywords, texts, numbers, comments and calls', () => {
    expect(
      looksOf('a.ts', "    const bill = await addUp(cart, { currency: 'EUR', at: 42 }) // in cents"),
    ).toEqual([
      ['keyword const', 'keyword await', 'accent addUp', "string 'EUR'", 'warn 42', 'soft // in cents'],
    ])
    expect(looksOf('a.mjs', 'if (/^a\\/b$/.test(x) === null) throw new Error(`no ${x}`)')).toEqual([
      [
        'keyword if',
        'string /^a\\/b$/',
        'accent test',
        'warn null',
        'keyword throw',
        'keyword new',
        'accent Error',
        'string `no ${',
        'string }`',
      ],
    ])
  })

  it('go on over the lines of a text or comment', () => {
    expect(looksOf('a.ts', '/* one', '   two */ f()', 'const a = `x', 'y`')).toEqual([
      ['soft /* one'],
      ['soft    two */', 'accent f'],
      ['keyword const', 'string `x'],
      ['string y`'],
    ])
  })

  it('do not take names for words of the language', () => {
    expect(looksOf('a.ts', 'promise.catch(type).delete; use({ type: x, from, default: 1 }, of)')).toEqual([
      ['accent catch', 'accent use', 'keyword default', 'warn 1'],
    ])
    expect(
      looksOf('a.ts', "import type { A } from './a'; const b = c as unknown; for (const x of xs) {}"),
    ).toEqual([
      [
        'keyword import',
        'keyword type',
        'keyword from',
        "string './a'",
        'keyword const',
        'keyword as',
        'keyword for',
        'keyword const',
        'keyword of',
      ],
    ])
  })

  it('know JSX where the file’s name says so', () => {
    expect(looksOf('a.tsx', '  return <Price of="lamp">it costs {cents}</Price>')).toEqual([
      ['keyword return', 'accent Price', 'accent of', 'string "lamp"', 'accent Price'],
    ])
    expect(looksOf('a.ts', 'const map = new Map<string, number>()')[0]).toEqual([
      'keyword const',
      'keyword new',
    ])
  })

  it('leave every character where it was, whatever the code is', () => {
    for (const code of [
      '* in the middle of a comment */ f(',
      '`${',
      "it's",
      '\\u{',
      '  }, [',
      '<a><b',
      '…',
      '/[',
    ])
      for (const file of ['a.ts', 'a.jsx']) looksOf(file, code, '', `  ${code}`)
  })

  it('are only for JavaScript and TypeScript', () => {
    for (const file of ['a.js', 'a.cjs', 'a.mts', 'a.JSX', 'dir/a.spec.tsx'])
      expect(highlightLines(['a'], file)).toBeDefined()
    for (const file of ['a.py', 'a.vue', 'a', 'a.json', 'a.ts.md', undefined])
      expect(highlightLines(['a'], file)).toBeUndefined()
    expect(highlightLines(['a'.repeat(20_001)], 'a.ts')).toBeUndefined()
  })
})
