import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createAttempt, createSuite, createTest } from '../../../../test/support/suites'
import type { Environment } from '../config/options'
import { writeCiPages, type CiReport, type CiOutput } from './ci-pages'

let dir: string
let printed: string[]

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'runledger-pages-'))
  printed = []
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const OPTIONS = { summary: true, annotations: false, outputFile: undefined, linksFile: undefined }
const at = (name: string): string => path.join(dir, name)
const read = (name: string): string => readFileSync(at(name), 'utf8')

function createAccount(over: Partial<CiReport> = {}): CiReport {
  const location = { file: 'src/math.test.ts', line: 12, column: 3 }
  const attempt = createAttempt({ errors: [{ message: 'expected 1,\nnot 2: 50%', location }] })
  const tests = [
    createTest(['adds, well: "1"'], { outcome: 'failed', attempts: [attempt] }),
    createTest(['passes']),
  ]
  const counts = { passed: 1, failed: 1, skipped: 0, flaky: 0, errors: 0 }
  const url = 'https://ledger.example/runs/1'
  return {
    framework: 'jest 30.5.2',
    url,
    trouble: '',
    failures: [],
    verdicts: [false],
    reports: [
      {
        file: 'src/math.test.ts',
        project: undefined,
        passed: false,
        outsideLimits: 0,
        counts,
        durationMs: 3,
        url,
        steps: [],
      },
    ],
    suites: [createSuite({ outcome: 'failed', tests })],
    rootDir: dir,
    ...over,
  }
}

function tell(env: Environment, options: Partial<CiOutput['options']> = {}, account = createAccount()): void {
  writeCiPages(account, { env, options: { ...OPTIONS, ...options }, print: (text) => printed.push(text) })
}

it('adds a table and the output for each execution of a step on GitHub', () => {
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: at('summary'), GITHUB_OUTPUT: at('output') }
  writeFileSync(at('output'), 'theirs=1')
  tell(env)
  tell(env, {}, createAccount({ framework: 'vitest 4.1.12', url: 'https://ledger.example/runs/2' }))
  expect(read('summary').match(/^### .*$/gm)).toEqual([
    '### jest 30.5.2: ❌ 1 of 1 run failed',
    '### vitest 4.1.12: ❌ 1 of 1 run failed',
  ])
  expect(read('output')).toBe(
    'theirs=1\nrunUrl=https://ledger.example/runs/1\nrunUrl=https://ledger.example/runs/2\n',
  )
  expect(printed).toEqual([])
})

it('keeps the summary of a step under its limit', () => {
  const env = { GITHUB_STEP_SUMMARY: at('summary') }
  writeFileSync(at('summary'), 'x'.repeat(1024 * 1024 - 250))
  tell(env)
  expect(read('summary').slice(-120)).toContain(
    '### jest 30.5.2: ❌ 1 of 1 run failed\n\n[Open on Runledger]',
  )
  expect(read('summary')).not.toContain('| Suite |')
  writeFileSync(at('summary'), 'x'.repeat(1024 * 1024 - 10))
  tell(env)
  expect(read('summary')).toHaveLength(1024 * 1024 - 10)
})

it('marks failed tests in the code when asked to', () => {
  const file = `${dir}/src/math.test.ts`
  tell({ GITHUB_ACTIONS: 'true' }, { annotations: true })
  tell({ TF_BUILD: 'True' }, { annotations: true, summary: false })
  expect(printed).toEqual([
    `::error file=${file},line=12,title=adds%2C well%3A "1"::expected 1,%0Anot 2: 50%25\n`,
    `##vso[task.logissue type=error;sourcepath=${file};linenumber=12]adds, well: "1": expected 1,%0Anot 2: 50%\n`,
  ])
})

it('marks a failure without a place where its test is declared, else its file', () => {
  const tests = [
    createTest(['a'], { outcome: 'failed', location: { file: 'src/shared.ts', line: 3 } }),
    createTest(['b'], { outcome: 'failed' }),
  ]
  const problems = [{ name: 'afterAll hook', errors: [{ message: 'port is open' }] }]
  const suites = [createSuite({ outcome: 'failed', tests, problems })]
  tell({ GITHUB_ACTIONS: 'true' }, { annotations: true, summary: false }, createAccount({ suites }))
  expect(printed).toEqual([
    `::error file=${dir}/src/shared.ts,line=3,title=a::it failed\n`,
    `::error file=${dir}/src/math.test.ts,title=b::it failed\n`,
    `::error file=${dir}/src/math.test.ts,title=afterAll hook::port is open\n`,
  ])
})

it('hands Azure a page and a variable', () => {
  tell({ TF_BUILD: 'True', AGENT_TEMPDIRECTORY: dir })
  const [page = ''] = readdirSync(dir)
  expect(printed).toEqual([
    '##vso[task.setvariable variable=runUrl;isOutput=true]https://ledger.example/runs/1\n',
    `##vso[task.uploadsummary]${at(page)}\n`,
  ])
  expect(read(page)).toContain('| Suite |')
})

it('collects links for the page of a job on GitLab', () => {
  const options = { linksFile: 'links.json', outputFile: 'run.env' }
  tell({ GITLAB_CI: 'true' }, options)
  tell({ GITLAB_CI: 'true' }, options, createAccount({ framework: 'vitest 4.1.12' }))
  const url = 'https://ledger.example/runs/1'
  expect(JSON.parse(read('links.json'))).toEqual({
    Runledger: [
      { external_link: { label: 'jest 30.5.2', url } },
      { external_link: { label: 'vitest 4.1.12', url } },
    ],
  })
  expect(read('run.env')).toBe(`runUrl=${url}\nrunUrl=${url}\n`)
  expect(printed).toEqual([])
})

it('prints nothing outside of a CI, or with the option off', () => {
  tell({}, { annotations: true })
  tell(
    { GITHUB_STEP_SUMMARY: at('summary'), GITHUB_OUTPUT: at('output'), TF_BUILD: 'True' },
    { summary: false },
  )
  expect(printed).toEqual([])
  expect(readdirSync(dir)).toEqual([])
})

it('writes no address that could be more than one', () => {
  tell({ GITHUB_OUTPUT: at('output') }, {}, createAccount({ url: 'https://h/x\nevil=1' }))
  expect(read('output')).toBe('runUrl=https://h/xevil=1\n')
  tell({ GITHUB_OUTPUT: at('none') }, {}, createAccount({ url: 'javascript:alert(1)' }))
  expect(readdirSync(dir)).toEqual(['output'])
})

it('never throws', () => {
  writeFileSync(at('links.json'), 'not JSON')
  const nowhere = at('no/such/folder/file')
  tell(
    { GITHUB_STEP_SUMMARY: nowhere, GITHUB_OUTPUT: dir, TF_BUILD: '1', AGENT_TEMPDIRECTORY: nowhere },
    {
      outputFile: nowhere,
      linksFile: 'links.json',
      annotations: true,
    },
  )
  expect(read('links.json')).toBe('not JSON')
})
