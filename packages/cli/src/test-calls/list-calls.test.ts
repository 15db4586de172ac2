import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { listTestCalls, readTestScripts } from './list-calls'
import { readFlags } from './read-flags'

function list(scripts: Record<string, string>) {
  const others = [{ name: 'a', dir: '/p/packages/a', scripts: { test: 'vitest run', unit: 'jest' } }]
  return listTestCalls({ name: 'root', dir: '/p', scripts }, others).map((call) => ({
    ...call,
    program: call.program.names[0],
    args: call.args.map(({ text }) => text).join(' '),
    flags: readFlags(call),
  }))
}

describe('the calls of a script', () => {
  it.each([
    ['jest', 'jest', ''],
    ['npx -y jest@29 --ci', 'jest', '--ci'],
    ['cross-env A=1 node --no-warnings ./node_modules/jest/bin/jest.js -c "a b.js"', 'jest', '-c a b.js'],
    ['tsc && c8 vitest run --reporter=dot > out.txt 2>&1', 'vitest', 'run --reporter=dot'],
    ['pnpm exec playwright test e2e || exit 1', 'playwright', 'e2e'],
    ['node node_modules/@playwright/test/cli.js test', 'playwright', ''],
    ['react-scripts test --ci', 'react-scripts', '--ci'],
    ['npm run build; yarn jest', 'jest', ''],
    ['npm run build\nyarn jest', 'jest', ''],
    ['# all of it\njest \\\n  --ci', 'jest', '--ci'],
    ['timeout 60s xvfb-run -a playwright test', 'playwright', ''],
    ['dotenv -e .env.test -- vitest run', 'vitest', 'run'],
    ['c8 -r lcov vitest run', 'vitest', 'run'],
    ['$(npm bin)/jest --ci', 'jest', '--ci'],
    ['if true; then jest; fi', 'jest', ''],
    ['sh -c "jest --ci"', 'jest', '--ci'],
    ["npx -c 'jest --ci'", 'jest', '--ci'],
  ])('%s', (test, program, args) => {
    expect(list({ test })).toMatchObject([{ script: 'test', program, args, dir: '/p' }])
  })

  it.each([
    'jest --watch',
    'vitest bench',
    'vitest --watch',
    'playwright test --ui',
    'playwright show-report',
    'npm install jest',
    'echo jest',
    'rm -rf jest',
    'docker build -t jest .',
    'eslint --plugin jest',
    'npx eslint jest',
    'node scripts/build.js jest',
    'node scripts/jest.js --ci',
    './tools/jest',
    'playwright install && git commit -m jest',
    'mocha',
  ])('%s is not a call of a framework', (test) => {
    expect(list({ test })).toEqual([])
  })

  it('has the variables and the folder that stand before it', () => {
    const [call] = list({ test: "A='1 2' cross-env B=2 npx env C=3 jest && cd x" })
    expect(call).toMatchObject({ env: { A: '1 2', B: '2', C: '3' }, dir: '/p' })
    expect(list({ test: 'cd packages/a && vitest run' })).toMatchObject([{ dir: '/p/packages/a' }])
  })

  it('is followed into the folders of `cd`, and out of subshells', () => {
    const listFolders = (test: string) =>
      list({ test }).map(({ dir, isDirComputed }) => (isDirComputed ? '?' : dir))
    expect(listFolders('(cd a && jest) && jest')).toEqual(['/p/a', '/p'])
    expect(listFolders('(cd a; (cd b && jest); jest); (jest)')).toEqual(['/p/a/b', '/p/a', '/p'])
    expect(listFolders('cd a\njest\ncd ../b\njest')).toEqual(['/p/a', '/p/b'])
    expect(listFolders('cd "$DIR" && jest; (cd - && jest)')).toEqual(['?', '?'])
  })

  it('lists the names of variables whose values only a shell knows', () => {
    const [call] = list({ test: 'export X=1 && A=$URL B="a`id`" C=\'$2\' X=$X jest' })
    expect(call).toMatchObject({ env: { C: '$2' }, computedEnv: ['A', 'B', 'X'] })
    for (const test of ['export X=1 && jest', 'set X=1&&jest', 'set X=1&& jest'])
      expect(list({ test })).toMatchObject([{ env: { X: '1' } }])
    expect(list({ test: 'A=$URL npm run unit', unit: 'A=2 jest' })).toMatchObject([
      { script: 'test', env: { A: '2' }, computedEnv: [] },
      { script: 'unit' },
    ])
  })

  it('is found in what `concurrently` and `npm-run-all` run', () => {
    const scripts = { 'test:a': 'jest', 'test:b': 'vitest run', 'test:b:c': 'jest' }
    const names = (test: string) => list({ test, ...scripts }).filter(({ script }) => script === 'test')
    expect(names('concurrently -n a,b "jest --ci" "cd e2e && playwright test"')).toMatchObject([
      { program: 'jest', args: '--ci' },
      { program: 'playwright', dir: '/p/e2e' },
    ])
    expect(names('X=1 run-p test:*')).toMatchObject([{ program: 'jest' }, { program: 'vitest' }])
    expect(names('X=1 npm-run-all -s test:**')).toHaveLength(3)
    expect(names('X=1 concurrently "npm:test:a"')).toMatchObject([{ program: 'jest', env: { X: '1' } }])
    // Both scripts are listed under their own names.
    expect(names('run-s test:a && concurrently "npm:test:b"')).toEqual([])
  })

  it('keeps the place of a flag in a quoted command', () => {
    const script = 'concurrently "vitest run" "jest --reporters=default"'
    const [, jest] = list({ test: script })
    expect(script.slice(0, jest?.flags.lastReporter?.end)).toBe(
      'concurrently "vitest run" "jest --reporters=default',
    )
  })

  it('is read in packages that no workspace lists', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-scripts-'))
    await writeFile(path.join(folder, 'package.json'), '{"scripts": {"test": "jest --ci"}}')
    for (const test of [`cd ${folder} && npm test`, `npm --prefix ${folder} test`])
      expect(list({ test })).toMatchObject([{ script: 'test', args: '--ci', dir: folder }])
    await rm(folder, { recursive: true })
    expect(list({ test: 'pnpm --filter a exec vitest run' })).toMatchObject([{ dir: '/p/packages/a' }])
  })

  it('has what other scripts add, and is listed once where they add nothing', () => {
    expect(list({ test: 'npm run unit', unit: 'jest' })).toMatchObject([{ script: 'unit' }])
    expect(list({ test: 'X=1 npm run unit -- --ci', unit: 'jest -i' })).toMatchObject([
      { script: 'test', args: '-i --ci', env: { X: '1' } },
      { script: 'unit', args: '-i' },
    ])
    expect(list({ test: 'yarn unit --ci', unit: 'jest' })[0]).toMatchObject({ script: 'test', args: '--ci' })
    expect(list({ test: 'npm test -w a -- --reporter=dot' })).toMatchObject([
      { script: 'test', dir: '/p/packages/a', args: 'run --reporter=dot' },
    ])
    expect(list({ test: 'npm run unit --workspaces -- --ci' })).toMatchObject([{ dir: '/p/packages/a' }])
    expect(list({ test: 'npm test -- --ci' })).toEqual([])
    for (const test of ['turbo run test -- --reporter=dot', 'npx turbo test --filter=a -- --reporter=dot'])
      expect(list({ test })).toMatchObject([
        { script: 'test', dir: '/p/packages/a', args: 'run --reporter=dot' },
      ])
    expect(list({ test: 'X=1 lerna run unit --scope a' })).toMatchObject([
      { program: 'jest', env: { X: '1' } },
    ])
    expect(list({ test: 'turbo run test unit' })).toEqual([])
  })
})

it.each([
  ['jest --reporters a b --reporters=c -c x', { reporters: ['a', 'b', 'c'], config: 'x' }],
  ['vitest --reporter a --reporter=b x -r sub', { reporters: ['a', 'b'], root: '/p/sub' }],
  ['playwright test --reporter=a,b --reporter c,d --config=e2e', { reporters: ['c', 'd'], config: 'e2e' }],
])('the flags of %s', (test, flags) => {
  expect(list({ test })[0]).toMatchObject({ flags })
})

it.each([
  ['docker compose run web npx jest', 'docker compose run web npx jest'],
  [
    'start-server-and-test start 3000 "playwright test"',
    'start-server-and-test start 3000 "playwright test"',
  ],
  ['concurrently "jest -t \\"a b\\""', '"jest -t \\"a b\\""'],
  ['run-p "unit -- {1}" -- --ci', '"unit -- {1}"'],
  ['env $(cat .env) jest', 'env $(cat .env) jest'],
  ['cd $DIR && npm run unit', 'npm run unit'],
  ['npx mocha', 'npx mocha'],
  ['wireit', 'wireit'],
  ['node scripts/jest.js --ci', 'node scripts/jest.js --ci'],
])('%s is not followed', (test, text) => {
  const { calls, unread } = readTestScripts({ name: 'root', dir: '/p', scripts: { test, unit: 'jest' } })
  expect(calls.filter(({ script }) => script === 'test')).toEqual([])
  expect(unread).toMatchObject([{ text }])
})

it.each(['echo jest', 'rm -rf jest', 'docker build -t jest .', 'npm install jest', 'git commit -m "jest"'])(
  '%s runs no tests',
  (build) => {
    expect(readTestScripts({ name: 'root', dir: '/p', scripts: { build } })).toEqual(
      expect.objectContaining({ calls: [], unread: [] }),
    )
  },
)
