import { expect, it } from 'vitest'
import { browserName } from './browser-name'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

it.each([
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['Chrome on Windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`],
  ['Edge on Windows', `Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 14; K) ${WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36`],
  [
    'Safari on iOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
  ],
  ['Safari on macOS', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15'],
  ['node', 'node'],
  ['Unknown browser', null],
])('%s', (name, userAgent) => {
  expect(browserName(userAgent)).toBe(name)
})
