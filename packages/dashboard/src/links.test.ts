import { describe, expect, it } from 'vitest'
import {
  attachmentLink,
  facetLink,
  formatQuery,
  isSecureAddress,
  openLink,
  parseQuery,
  parseSignInSearch,
  runListLink,
  safeNextPath,
  signInLink,
} from './links'

describe('queries', () => {
  it('keeps text that looks like a number, a boolean or JSON as text', () => {
    const parts = { group: '007', q: '1e5 {"a":1} true' }
    expect(parseQuery(formatQuery(parts))).toEqual(parts)
  })

  it('repeats the key of a list', () => {
    expect(formatQuery({ outcome: ['FAIL', 'ERROR'], q: 'a b&c' })).toBe(
      '?outcome=FAIL&outcome=ERROR&q=a+b%26c',
    )
    expect(parseQuery('?outcome=FAIL&outcome=ERROR')).toEqual({ outcome: ['FAIL', 'ERROR'] })
  })

  it('writes nothing for nothing', () => {
    expect(formatQuery({ group: undefined, outcome: [] })).toBe('')
  })
})

describe('the page after signing in', () => {
  it.each(['/runs', '/runs/1?x=y#z', '/'])('goes to %s', (path) => {
    expect(safeNextPath(path)).toBe(path)
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/sign-in?next=/sign-in',
    '',
  ])('does not go to %j', (path) => {
    expect(safeNextPath(path)).toBeUndefined()
    expect(signInLink(path)).toEqual({ to: '/sign-in', search: {} })
  })
})

describe('attachment addresses', () => {
  it('stay on the origin of the page whatever name the service goes by', () => {
    expect(attachmentLink('http://127.0.0.1:7357/v2/a/b%20c.png?sig=x%2Fy&expires=1')).toBe(
      '/v2/a/b%20c.png?sig=x%2Fy&expires=1',
    )
    expect(attachmentLink('/v2/a?sig=1')).toBe('/v2/a?sig=1')
  })

  it('never lead to another origin or run a script', () => {
    expect(attachmentLink('http://a.example//evil.example/x')).toBe('/evil.example/x')
    expect(attachmentLink('javascript:alert(1)')).toBeUndefined()
    expect(attachmentLink('http://[')).toBeUndefined()
  })
})

describe('addresses on the origin of files', () => {
  const open = (open_url: string | null | undefined, hostname: string, service = 'http://127.0.0.1:7357') =>
    openLink({ open_url, download_url: `${service}/downloads/1?sig=1` }, hostname)?.href

  it('follow the name of the page where they are a port of its host, and no other', () => {
    expect(open('http://127.0.0.1:7356/downloads/1?sig=1', '192.168.1.5')).toBe(
      'http://192.168.1.5:7356/downloads/1?sig=1',
    )
    expect(open('https://files.example.com/x', 'runs.example.com', 'https://runs.example.com')).toBe(
      'https://files.example.com/x',
    )
  })

  it('are missing without such an origin, and never run a script', () => {
    for (const address of [null, undefined, 'javascript:alert(1)', 'http://['])
      expect(open(address, 'localhost')).toBeUndefined()
  })

  it('let service workers run over HTTPS and on this machine only', () => {
    const isSecure = (address: string) => isSecureAddress(new URL(address))
    for (const host of ['127.0.0.1:7356', '[::1]:7356', 'localhost', 'word.localhost:7356'])
      expect(isSecure(`http://${host}`)).toBe(true)
    expect(isSecure('https://files.example.com')).toBe(true)
    for (const host of ['192.168.1.5:7356', 'localhost.example.com', '127.0.0.1.example.com'])
      expect(isSecure(`http://${host}`)).toBe(false)
  })
})

it('leads to the runs of a unit, and to a filtered list', () => {
  expect(facetLink('unit', 'SN 7')).toEqual({ to: '/runs', search: { unit: 'SN 7' } })
  expect(runListLink({ outcomes: ['FAIL'], words: ' x ' })).toEqual({
    to: '/runs',
    search: { outcome: ['FAIL'], q: 'x' },
  })
})

it('leaves nothing unsafe among the parts of the sign-in address, lest the router keep what was sent', () => {
  for (const next of [
    'https://evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    ['/runs'],
    '/sign-in',
  ]) {
    expect(parseSignInSearch({ next, code: '', failed: 'Call +1 555' })).toStrictEqual({
      code: undefined,
      next: undefined,
      failed: undefined,
    })
  }
  expect(parseSignInSearch({ next: '/runs/1', code: 'c', failed: 'no-role' })).toStrictEqual({
    code: 'c',
    next: '/runs/1',
    failed: 'no-role',
  })
})
