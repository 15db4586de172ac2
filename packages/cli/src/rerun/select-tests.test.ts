import { describe, expect, it } from 'vitest'
import { findOwnSelection, type Selection, selectTests } from './select-tests'

const FILE = { file: 'src/a.test.js', path: '/home/ada/shop/src/a.test.js', names: ['adds up'] }
const select = (selection: Partial<Selection>): Selection => ({
  files: [FILE],
  projects: undefined,
  nodes: { oldest: 24, newest: 24 },
  ...selection,
})

/** What Playwright compares a pattern with. */
function isGrepped(selection: Selection, title: string): boolean {
  const grep = selectTests('playwright', selection).args.find((arg) => arg.startsWith('--grep=')) ?? ''
  return new RegExp(grep.slice('--grep='.length), 'gi').test(title)
}

describe('the arguments that select tests', () => {
  it('name files by patterns of their paths, or as they are', () => {
    expect(selectTests('jest', select({})).args.at(-1)).toBe(String.raw`/home/ada/shop/src/a\.test\.js$`)
    expect(selectTests('vitest', select({})).args.at(-1)).toBe('/home/ada/shop/src/a.test.js')
    expect(selectTests('node:test', select({})).args.at(-1)).toBe('/home/ada/shop/src/a.test.js')
    const missing = select({ files: [{ ...FILE, file: '../a.test.js', path: undefined }] })
    expect(selectTests('jest', missing).args.at(-1)).toBe(String.raw`(?:^|/)a\.test\.js$`)
    expect(selectTests('vitest', missing).args.at(-1)).toBe('a.test.js')
  })

  it('are no options that a stored file name hides', () => {
    for (const framework of ['jest', 'vitest', 'playwright', 'node:test'] as const)
      for (const file of ['--update', '../--update']) {
        const hidden = select({ files: [{ ...FILE, file, path: undefined }] })
        expect(selectTests(framework, hidden).args).not.toContain('--update')
      }
  })

  it('name no test if a file failed as a whole, and say so', () => {
    const files = [FILE, { file: 'b.test.js', path: '/b.test.js', names: undefined }]
    const { args, note } = selectTests('vitest', select({ files }))
    expect(args).toEqual(['--passWithNoTests', FILE.path, '/b.test.js'])
    expect(note).toBe('A file failed as a whole: all tests of these files run.')
  })

  it('name files only if there are too many tests, and nothing if there are too many files', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `test ${index} ${'x'.repeat(50)}`)
    const many = selectTests('jest', select({ files: [{ ...FILE, names }] }))
    expect(many).toMatchObject({ args: ['--passWithNoTests', String.raw`/home/ada/shop/src/a\.test\.js$`] })
    expect(many.note).toContain('too many tests')
    const files = names.map((name) => ({ file: name, path: `/${name}`, names: undefined }))
    expect(selectTests('jest', select({ files }))).toMatchObject({
      args: [],
      note: expect.stringContaining('too many files') as unknown,
    })
  })

  it('name the titles of tests alone where Node compares nothing else', () => {
    const files = [{ ...FILE, names: ['suite › adds'] }]
    const pattern = (oldest: number) =>
      selectTests('node:test', select({ files, nodes: { oldest, newest: 24 } })).args[0] ?? ''
    const isMatched = (major: number, name: string) =>
      new RegExp(pattern(major).replace(/^[^=]*=/, '')).test(name)
    expect([isMatched(20, 'adds'), isMatched(22, 'adds'), isMatched(22, 'suite adds')]).toEqual([
      true,
      false,
      true,
    ])
    const parted = select({
      files: [{ ...FILE, names: ['suite › one › other'] }],
      nodes: { oldest: 20, newest: 20 },
    })
    const [option = ''] = selectTests('node:test', parted).args
    expect('one › other').toMatch(new RegExp(option.replace(/^[^=]*=/, '')))
  })

  it('name files as globs where Node takes globs', () => {
    const files = [{ ...FILE, path: '/shop/[id]/a.test.js' }]
    const nameFile = (newest: number) =>
      selectTests('node:test', select({ files, nodes: { oldest: 20, newest } })).args.at(-1)
    expect([nameFile(20), nameFile(24)]).toEqual(['/shop/[id]/a.test.js', '/shop/[[]id]/a.test.js'])
  })

  it('name projects for Playwright if all tests have one', () => {
    expect(selectTests('playwright', select({ projects: ['slow (x)'] })).args).toContain('--project=slow (x)')
  })
})

it.each([
  ['vitest', ['npx', 'vitest', 'run', '-t', 'adds'], '-t'],
  ['jest', ['node', 'node_modules/jest/bin/jest.js', '--testNamePattern=adds'], '--testNamePattern'],
  ['playwright', ['npx', 'playwright@1.60.0', 'test', '--grep=adds'], '--grep'],
  ['playwright', ['node', 'node_modules/@playwright/test/cli.js', 'test', '-g', 'adds'], '-g'],
  ['vitest', ['docker', 'run', '-t', 'node:24', 'npx', 'vitest', 'run'], undefined],
] as const)('finds where a command selects tests by title: %s %j', (framework, command, option) => {
  expect(findOwnSelection(framework, command)).toBe(option)
})

describe('the pattern for Playwright', () => {
  const selection = select({ files: [{ ...FILE, names: ['cart › pays'] }] })

  it.each([
    ' quick src/a.test.js cart pays',
    ' quick src/a.test.js cart @slow @cart pays @smoke',
    '  a.test.js cart pays',
  ])('matches the test with the tags of its describe blocks: %j', (title) => {
    expect(isGrepped(selection, title)).toBe(true)
  })

  it.each([
    ' quick src/aa.test.js cart pays',
    ' quick src/a.test.js cart pays twice',
    ' quick src/b.test.js cart pays',
  ])('does not match %j', (title) => expect(isGrepped(selection, title)).toBe(false))

  it('matches all tests of a file that failed as a whole, beside single tests of others', () => {
    const files = [FILE, { file: 'b.spec.js', path: undefined, names: undefined }]
    expect(isGrepped(select({ files }), ' quick b.spec.js anything')).toBe(true)
    expect(isGrepped(select({ files }), ' quick src/a.test.js anything')).toBe(false)
  })
})
