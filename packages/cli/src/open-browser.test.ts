import { expect, it } from 'vitest'
import { findBrowser } from './open-browser'

it.each([
  ['linux', { DISPLAY: ':0' }, true],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['linux', { BROWSER: 'firefox' }, true],
  ['linux', {}, false],
  ['linux', { DISPLAY: ':0', CI: 'true' }, false],
  ['darwin', {}, true],
  ['win32', {}, true],
  ['darwin', { CI: '1' }, false],
])('on %s with %o there is a browser: %s', (platform, env, isThere) => {
  expect(findBrowser(env, platform) !== undefined).toBe(isThere)
})
