import { expect, it } from 'vitest'
import { findNodeTestCalls } from './node-test-command'

it.each([
  [
    'node --test --unhandled-rejections strict --test-reporter=tap',
    'names a reporter behind a value of another option',
  ],
  ['cross-env NODE_OPTIONS=--test-reporter=tap node --test', 'names one in NODE_OPTIONS'],
  ['node --test "--test-reporter=tap"', 'names one in quotes'],
  ['node --test | tap-junit', 'pipes what Node prints by default'],
  ['node --test > results.tap', 'writes it to a file'],
  ['node --test test/*.js>out.tap', 'writes it to a file, without a space'],
  ['node --test &> out.tap', 'writes all to a file'],
  ['node --test --test-reporter=tap "--test-reporter-destination=out.tap"', 'names a destination in quotes'],
  ['node --test 2>&1 | tap-junit', 'pipes both'],
  ['node --test $(find test -name "*.js") | tap-junit', 'pipes behind another command'],
  ['node --test "$(find test | sort)"', 'has a pipe whose place is not read'],
  ['{ node --test; } | tap', 'pipes a group'],
  ['X=/usr/bin/node --test', 'calls no node'],
  ['node --test --watch', 'watches'],
])('leaves alone what %s, which %s', (script) => {
  expect(findNodeTestCalls(script)).toEqual([])
})

it.each([
  ['node --test', 11],
  ['node --test --test-name-pattern="a > b" || echo failed', 11],
  ['node --test 2>/dev/null', 11],
  ['FORCE_COLOR=1 node --test lib/ && echo done', 25],
  ['tsc; ./bin/node --import=tsx --test --test-reporter=tap | tap-junit', 55],
])('adds to %s', (script, end) => {
  expect(findNodeTestCalls(script)).toMatchObject([{ end }])
})
