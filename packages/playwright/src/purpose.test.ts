import { describe, expect, it } from 'vitest'
import { derivePurpose, dropFrameworkOptions } from './purpose'

const command = (...args: string[]) => ['/usr/bin/node', '/project/node_modules/.bin/playwright', ...args]

describe('derivePurpose', () => {
  it.each([
    ['a plain execution', {}, command('test')],
    ['an execution that says so', { _mode: 'test' }, command('test')],
    ['a filter that looks like another command', { _mode: 'test' }, command('test', 'test-server')],
    ['a filter that looks like another command, in 1.40', {}, command('test', 'merge-reports')],
    ['a flag that only begins like another', {}, command('test', '--uid')],
    ['a filter that only ends like a flag', {}, command('test', 'a--ui')],
    ['a value that is a flag of another command', { _mode: 'test' }, command('test', '--grep', '--list')],
    ['a first word of another command that says so', { _mode: 'test' }, command('merge-reports')],
  ])('records %s', (_, options, argv) => {
    expect(derivePurpose(options, argv)).toBe('record')
  })

  it.each([
    ['--list', { _mode: 'list' }, command('test', '--list')],
    ['--list in 1.40', {}, command('test', '--list')],
    ['UI mode', { _mode: 'test' }, command('test', '--ui')],
    ['UI mode on a port', { _mode: 'test' }, command('test', '--ui-port=0')],
    ['UI mode in 1.50', { _mode: 'test', _isTestServer: true }, command('test')],
    ['an editor', { _mode: 'test' }, command('test-server', '-c', 'playwright.config.ts')],
  ])('records nothing in %s', (_, options, argv) => {
    expect(derivePurpose(options, argv)).toBe('nothing')
  })

  it.each([
    ['by option', { _mode: 'merge' }, command('merge-reports', 'blobs')],
    ['by command, in 1.40', {}, command('merge-reports', 'blobs')],
  ])('knows merged reports %s', (_, options, argv) => {
    expect(derivePurpose(options, argv)).toBe('merge')
  })
})

describe('dropFrameworkOptions', () => {
  it('keeps what the user wrote, misspelt or not', () => {
    const options = { url: 'http://127.0.0.1:7357', procedureID: 'p' }
    const given = {
      ...options,
      configDir: '/project',
      _mode: 'test',
      _isTestServer: false,
      _commandHash: '',
      onlyFailures: false,
    }
    expect(dropFrameworkOptions(given)).toEqual(options)
  })
})
