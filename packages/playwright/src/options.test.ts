import { describe, expect, it } from 'vitest'
import { derivePurpose, resolveStepDepth, selectCoreOptions } from './options'

const command = (...args: string[]) => ['/usr/bin/node', '/project/node_modules/.bin/playwright', ...args]

describe('derivePurpose', () => {
  it.each([
    ['a plain execution', {}, command('test')],
    ['an execution by option', { _mode: 'test' }, command('test')],
    ['a filter that looks like another command', { _mode: 'test' }, command('test', 'test-server')],
    ['a filter that looks like another command, in 1.40', {}, command('test', 'merge-reports')],
    ['a flag that only begins like another', {}, command('test', '--uid')],
    ['a filter that only ends like a flag', {}, command('test', 'a--ui')],
    ['a value that is a flag of another command', { _mode: 'test' }, command('test', '--grep', '--list')],
    ['the name of another command, with the option', { _mode: 'test' }, command('merge-reports')],
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
    ['an editor that lists the files', { _mode: 'test' }, command('list-files')],
  ])('records nothing in %s', (_, options, argv) => {
    expect(derivePurpose(options, argv)).toBe('nothing')
  })

  it.each([
    ['by option', { _mode: 'merge' }, command('merge-reports', 'blobs')],
    ['by command, in 1.40', {}, command('merge-reports', 'blobs')],
  ])('recognises merged reports %s', (_, options, argv) => {
    expect(derivePurpose(options, argv)).toBe('merge')
  })
})

describe('selectCoreOptions', () => {
  it('keeps the user’s options for core, also misspelled ones', () => {
    const options = { url: 'http://127.0.0.1:7357', procedureID: 'p' }
    const given = {
      ...options,
      configDir: '/project',
      _mode: 'test',
      _isTestServer: false,
      _commandHash: '',
      onlyFailures: false,
      stepDepth: 1,
    }
    expect(selectCoreOptions(given)).toEqual(options)
  })
})

describe('resolveStepDepth', () => {
  it('reports an invalid depth and takes none', () => {
    const warnings: string[] = []
    const resolve = (stepDepth: unknown) =>
      resolveStepDepth({ stepDepth: stepDepth as number }, (message) => void warnings.push(message))
    expect([resolve(undefined), resolve(2), resolve(-1), resolve('1')]).toEqual([
      undefined,
      2,
      undefined,
      undefined,
    ])
    expect(warnings).toEqual([
      'option stepDepth cannot be -1: use a whole number, 0 or more',
      'option stepDepth cannot be "1": use a whole number, 0 or more',
    ])
  })
})
