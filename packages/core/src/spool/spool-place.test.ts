import path from 'node:path'
import { expect, it } from 'vitest'
import { findSpoolDir } from './spool-place'

const HOME = path.resolve('/home/ada')

it('is the option’s folder, relative to the project root', () => {
  expect(findSpoolDir('kept/runs', { HOME }, '/work/widget')).toBe(path.resolve('/work/widget/kept/runs'))
})

it.runIf(process.platform === 'linux')('is the user’s and the project’s own by default', () => {
  const widget = findSpoolDir(undefined, { HOME }, '/work/widget')
  expect(widget).toMatch(/^\/home\/ada\/\.local\/state\/runledger\/spool\/widget-[0-9a-f]{16}$/)
  expect(findSpoolDir(undefined, { HOME }, '/elsewhere/widget')).not.toBe(widget)
  expect(findSpoolDir(undefined, { HOME }, '/work/widget/')).toBe(widget)
  expect(findSpoolDir(undefined, { HOME: '/home/bob' }, '/work/widget')).not.toBe(widget)
})

it.runIf(process.platform === 'linux')('heeds XDG_STATE_HOME, and does without a home', () => {
  const state = { HOME, XDG_STATE_HOME: '/var/state' }
  expect(findSpoolDir(undefined, state, '/work/widget')).toMatch(/^\/var\/state\/runledger\/spool\/widget-/)
  expect(findSpoolDir(undefined, { HOME, XDG_STATE_HOME: 'relative' }, '/w')).toMatch(/^\/home\/ada/)
  expect(findSpoolDir(undefined, {}, '/w')).toContain(`runledger-${process.getuid?.()}`)
})
