import { describe, expect, it } from 'vitest'
import { listTestCalls } from './list-calls'
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
    'eslint --plugin jest',
    'mocha',
  ])('%s is not a call of a framework', (test) => {
    expect(list({ test })).toEqual([])
  })

  it('has the variables and the folder that stand before it', () => {
    const [call] = list({ test: "A='1 2' cross-env B=2 npx env C=3 jest && cd x" })
    expect(call).toMatchObject({ env: { A: '1 2', B: '2', C: '3' }, dir: '/p' })
    expect(list({ test: 'cd packages/a && vitest run' })).toMatchObject([{ dir: '/p/packages/a' }])
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
  })
})

it.each([
  ['jest --reporters a b --reporters=c -c x', { reporters: ['a', 'b', 'c'], config: 'x' }],
  ['vitest --reporter a --reporter=b x -r sub', { reporters: ['a', 'b'], root: '/p/sub' }],
  ['playwright test --reporter=a,b --reporter c,d --config=e2e', { reporters: ['c', 'd'], config: 'e2e' }],
])('the flags of %s', (test, flags) => {
  expect(list({ test })[0]).toMatchObject({ flags })
})
