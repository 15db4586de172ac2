import { expect, it } from 'vitest'
import { readProxies, targetOf } from './proxies'

function findProxy(url: string, NO_PROXY = ''): string | undefined {
  const find = readProxies({ HTTP_PROXY: 'http://proxy.example:3128', NO_PROXY })
  return find(targetOf(new URL(url)))?.host
}

it.each([
  ['http://[2001:db8::a:1]/', '2001:db8::a:1'],
  ['http://[2001:db8::a:1]/', '[2001:db8::a:1]'],
  ['http://[2001:db8::a:1]:81/', '[2001:db8::a:1]:81'],
  ['https://a.service.example/', '*.service.example'],
])('reaches %s without a proxy for NO_PROXY %s', (url, noProxy) => {
  expect(findProxy(url, noProxy)).toBeUndefined()
})

it.each(['127.0.0.2', 'localhost.', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]'])(
  'reaches this machine as %s without a proxy',
  (host) => expect(findProxy(`http://${host}:7357/`)).toBeUndefined(),
)

it.each([
  ['http://[2001:db8::a:2]/', '2001:db8::a:1'],
  ['http://service.example:81/', 'service.example:80'],
  ['http://127.example/', ''],
])('reaches %s through the proxy for NO_PROXY %s', (url, noProxy) => {
  expect(findProxy(url, noProxy)).toBe('proxy.example:3128')
})
