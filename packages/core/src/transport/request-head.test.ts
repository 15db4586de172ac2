import { expect, it } from 'vitest'
import { formatRequestHead } from './request-head'
import { parseTarget, type Target } from './target'

const format = (address: string, headers: Record<string, string>, sizeBytes?: number, method = 'POST') =>
  formatRequestHead(
    parseTarget(address) as Target,
    { method: method as 'POST', headers },
    sizeBytes,
  ).toString('latin1')

it('is a line, the host, the headers as given, and the body’s length', () => {
  expect(
    format('http://[::1]:8080/rüns?a=ü b#c', { accept: 'application/json', 'x-name': 'Größe' }, 12),
  ).toBe(
    'POST /r%C3%BCns?a=%C3%BC%20b HTTP/1.1\r\nhost: [::1]:8080\r\nconnection: keep-alive\r\n' +
      'accept: application/json\r\nx-name: Größe\r\ncontent-length: 12\r\n\r\n',
  )
})

it.each([
  ['POST', undefined, 'content-length: 0'],
  ['PATCH', 0, 'content-length: 0'],
  ['GET', undefined, undefined],
  ['DELETE', 2, 'content-length: 2'],
])('%s with a body of %s bytes tells its length: %s', (method, sizeBytes, line) => {
  const lines = format('http://a.example/', {}, sizeBytes, method).split('\r\n')
  expect(lines.find((each) => each.startsWith('content-length'))).toBe(line)
})

it('sends the name and password of an address only where nothing else says who asks', () => {
  const address = 'https://m%C3%BC:p%3Aw@a.example/'
  expect(format(address, {})).toContain(
    `authorization: Basic ${Buffer.from('mü:p:w').toString('base64')}\r\n`,
  )
  const keyed = format(address, { authorization: 'Bearer key' })
  expect(keyed).toContain('authorization: Bearer key\r\n')
  expect(keyed).not.toContain('Basic')
  expect(keyed).not.toContain('p%3Aw')
})

it.each([
  [{ authorization: 'Bearer secret\r\nx: y' }, 'ERR_INVALID_CHAR'],
  [{ authorization: 'Bearer secret\u0000' }, 'ERR_INVALID_CHAR'],
  [{ authorization: 'Bearer secret😀' }, 'ERR_INVALID_CHAR'],
  [{ 'a b': 'x' }, 'ERR_INVALID_HTTP_TOKEN'],
])('refuses %j without telling what it holds', (headers, code) => {
  expect(() => format('http://a.example/', headers as never)).toThrow(expect.objectContaining({ code }))
  expect(() => format('http://a.example/', headers as never)).not.toThrow(/secret/)
})
