import type { Suite } from '@runledger/core'
import { mkdtempSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { AttachmentFinder } from './attachments'
import { decodeText } from '@runledger/readers'
import { readResults } from './formats'

const RECORDINGS = fileURLToPath(new URL('../../recordings/files', import.meta.url))
const WRITTEN_AT_MS = Date.UTC(2026, 0, 1)

function read(text: string | Uint8Array, over: { projectRoot?: string; isLocalTime?: boolean } = {}) {
  const { projectRoot = '/project', isLocalTime = false } = over
  const folders = projectRoot === '/project' ? [] : [projectRoot]
  const attachments = new AttachmentFinder(folders)
  const context = { fileName: 'results', projectRoot, writtenAtMs: WRITTEN_AT_MS, isLocalTime, attachments }
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  return { ...readResults(decodeText(bytes), undefined, context), refused: attachments.refused }
}

function recording(name: string) {
  return read(readFileSync(path.join(RECORDINGS, name)))
}

const MARKS = { passed: '+', failed: 'x', skipped: '-', todo: 'o', 'not-run': '?' }

/** One line for each suite: its verdict, its name, and its tests, `~` before a flaky one, `3` for three attempts. */
function summarise({ suites }: { suites: Suite[] }): string[] {
  return suites.map(({ outcome, project, file, tests, problems }) => {
    const lines = tests.map(({ outcome: each, flaky, titles, attempts }) => {
      const tries = attempts.length > 1 ? String(attempts.length) : ''
      return `${flaky ? '~' : MARKS[each]}${tries} ${titles.join(' › ')}`
    })
    return [`${outcome} ${project} ${file}`, ...lines, ...problems.map(({ name }) => `! ${name}`)].join(' | ')
  })
}

const LAMP = 'x lamp › is red'

describe('results that real tools wrote', () => {
  it.each([
    [
      'surefire.xml',
      'surefire',
      ['failed  example.LampTest | - isBlue | + lights | - needsPower | x3 isRed | ~2 flickers'],
    ],
    [
      'gotestsum.xml',
      'go',
      [
        String.raw`failed  example.com/lamp | x TestColours/red_<&>_\x1b[31m | x TestColours | x TestFlickers | - TestIsBlue | + TestLights | + TestColours/green`,
        'passed  example.com/lamp/bulb | + TestOn',
        'failed  example.com/lamp/exits | x TestMain',
        'failed  example.com/lamp/panics | x TestPanics | + TestBefore',
        'failed  results | ! Errors outside of tests',
      ],
    ],
    [
      'node-test-20.xml',
      'node:test',
      [
        'failed  results | x broken.test.cjs | + lamp › lights | x lamp › colour › is red | - lamp › is blue | ' +
          'o lamp › later | o lamp › todo fails | + alone | + with subtests › sub | x with subtests › sub bad',
      ],
    ],
    [
      'node-test-24.xml',
      'node:test',
      [
        'failed  broken.test.cjs | x broken.test.cjs',
        'failed  lamp.test.cjs | + lamp › lights | x lamp › colour › is red | - lamp › is blue | o lamp › later | ' +
          'o lamp › todo fails | + alone | + with subtests › sub | x with subtests › sub bad',
      ],
    ],
    [
      'playwright.xml',
      'playwright',
      [
        'failed bench broken.spec.ts | x lights',
        `failed bench lamp.spec.ts | + lamp › lights | ${LAMP} | + lamp › flickers | - lamp › is blue | + lamp › is dark | x times out`,
      ],
    ],
    [
      'vitest.xml',
      'vitest',
      [
        'failed  broken.test.ts | x broken.test.ts',
        `failed  lamp.test.ts | + lamp › lights | ${LAMP} | + lamp › flickers | - lamp › is blue | - lamp › is warm`,
      ],
    ],
    [
      'jest-junit.xml',
      'jest',
      ['failed  lamp | + lamp lights | x lamp is red | + lamp flickers | - lamp is blue | + lamp is warm'],
    ],
    [
      'jest.json',
      'jest',
      [
        `failed  lamp.test.js | + lamp › lights | x2 lamp › is red | ~2 lamp › flickers | - lamp › is blue | o lamp › is warm`,
        'failed  broken.test.js | ! Suite failed',
      ],
    ],
    [
      'vitest.json',
      'vitest',
      [
        'failed  broken.test.ts | ! Suite failed',
        `failed  lamp.test.ts | + lamp › lights | ${LAMP} | ~2 lamp › flickers | - lamp › is blue | o lamp › is warm`,
      ],
    ],
    [
      'jest.ctrf.json',
      'jest',
      [
        'failed  lamp.test.js | + lamp lights | x2 lamp is red | ~2 lamp flickers | - lamp is blue | o lamp is warm',
      ],
    ],
    [
      'playwright.json',
      'playwright',
      [
        'failed bench broken.spec.ts | x2 lights',
        'failed bench lamp.spec.ts | x2 times out | + lamp › lights | x2 lamp › is red | ~2 lamp › flickers | - lamp › is blue | + lamp › is dark',
      ],
    ],
  ])('reads %s', (name, framework, expected) => {
    const results = recording(name)
    expect(results.framework).toBe(framework)
    expect(summarise(results)).toEqual(expected)
  })

  it('reads what a Go test said from the output of gotestsum', () => {
    const tests = recording('gotestsum.xml').suites.flatMap((suite) => suite.tests)
    const said = tests.map(({ titles, skipReason, attempts }) => [
      titles.at(-1),
      skipReason ?? attempts[0]?.errors[0]?.message,
    ])
    expect(Object.fromEntries(said)).toMatchObject({
      'TestColours/red_<&>_\\x1b[31m': 'lamp_test.go:17: got green, want red <&> \uFFFD[31m',
      TestColours: 'Failed',
      TestIsBlue: 'lamp_test.go:24: no lamp here',
      TestMain: 'no power',
      TestPanics: expect.stringMatching(/^panic: runtime error: index out of range .* length 0$/s),
    })
  })

  it('reads both families of pytest as the same tests', () => {
    const [xunit1, xunit2] = ['pytest-xunit1.xml', 'pytest-xunit2.xml'].map(
      (name) => recording(name).suites[0],
    )
    expect([xunit1?.file, xunit2?.file]).toEqual(['test_lamp.py', 'pytest'])
    const titles = (suite?: Suite) => suite?.tests.map((test) => [test.titles.join(' › '), test.outcome])
    expect(titles(xunit1)).toEqual(titles(xunit2))
    expect(titles(xunit1)).toContainEqual(['test_lamp.TestLamp › test_red', 'failed'])
    const [lights, red, blue] = xunit1?.tests ?? []
    expect(lights).toMatchObject({
      startedAtMs: xunit1?.startedAtMs,
      location: { file: 'test_lamp.py', line: 2 },
      annotations: [{ type: 'bench', description: '7' }],
    })
    expect(red?.attempts[0]?.errors[0]?.message).toContain('+ green\u001B[31m')
    expect(blue?.skipReason).toBe('no lamp here')
  })

  it('takes times of Playwright’s CTRF for seconds, and steps of its JSON for attempts', () => {
    const started = (name: string) =>
      recording(name).suites.flatMap(({ tests }) =>
        tests.map(({ startedAtMs }) => new Date(startedAtMs).getUTCFullYear()),
      )
    expect(new Set(started('playwright.ctrf.json'))).toEqual(new Set([2026]))
    const lamp = recording('playwright.json').suites[1]?.tests.find(
      ({ titles }) => titles.at(-1) === 'is red',
    )
    expect(
      lamp?.attempts.map(({ status, errors, attachments }) => [
        status,
        errors.length,
        attachments.map((a) => a.name),
      ]),
    ).toEqual([
      ['failed', 1, ['colours.txt']],
      ['failed', 1, ['colours.txt']],
    ])
    expect(lamp?.location).toMatchObject({ file: 'lamp.spec.ts', line: 8 })
  })
})

describe('JUnit XML', () => {
  it('fails a suite that counts failures and names none', () => {
    expect(
      summarise(
        read('<testsuites failures="2"><testsuite name="a"><testcase name="t"/></testsuite></testsuites>'),
      ),
    ).toEqual(['failed  a | + t | ! Failures without a test'])
    expect(summarise(read('<testsuite name="a" tests="3" errors="1"/>'))).toEqual([
      'failed  a | ! Failures without a test',
    ])
    expect(summarise(read('<testsuite name="a"><error message="no power"/></testsuite>'))).toEqual([
      'failed  a | ! Suite',
    ])
  })

  it('reads Go, .NET, googletest and CTest', () => {
    const go = `<testsuites><testsuite name="example.com/lamp/bulb" timestamp="2026-01-02T03:04:05+02:00" time="1.5">
      <properties><property name="go.version" value="go1.25"></property></properties>
      <testcase classname="bulb" name="TestOn/red" time="0.5"><failure message="Failed" type="">bulb_test.go:3: dark</failure></testcase>
      </testsuite></testsuites>`
    expect(summarise(read(go))).toEqual(['failed  example.com/lamp/bulb | x TestOn/red'])
    expect(read(go)).toMatchObject({
      framework: 'go',
      suites: [{ startedAtMs: Date.UTC(2026, 0, 2, 1, 4, 5), durationMs: 1500 }],
    })
    const dotnet = `<testsuites><testsuite name="Lamp.dll" time="0.1"><testcase classname="Lamp.Tests.Bulb" name="On" time="0.05"/></testsuite></testsuites>`
    expect(summarise(read(dotnet))).toEqual(['passed  Lamp.dll | + Lamp.Tests.Bulb › On'])
    const google =
      '<testsuites name="AllTests"><testsuite name="Bulb"><testcase name="On" status="notrun" result="suppressed" classname="Bulb"/></testsuite></testsuites>'
    expect(summarise(read(google))).toEqual(['passed  Bulb | - On'])
    expect(summarise(read('<testsuite name="C"><testcase name="t" status="fail"/></testsuite>'))).toEqual([
      'failed  C | x t',
    ])
  })

  it('says which times are estimated, and estimates none that the file has', () => {
    const suite = read(
      '<testsuite name="a" timestamp="2026-01-02T03:04:05"><testcase name="t" time="1,234.5"/><testcase name="u" time="x"/></testsuite>',
    ).suites[0]
    expect(suite?.startedAtMs).toBe(Date.UTC(2026, 0, 2, 3, 4, 5))
    expect(
      suite?.tests.map(({ startedAtMs, durationMs }) => [
        startedAtMs - (suite?.startedAtMs ?? 0),
        durationMs,
      ]),
    ).toEqual([
      [0, 1_234_500],
      [1_234_500, 0],
    ])
    expect(suite?.events).toContainEqual(
      expect.objectContaining({ name: 'estimated_times', value: 'starts of tests, lengths of tests' }),
    )
  })

  it('masks properties with secret names, and leaves out Java’s own', () => {
    const properties = ['db.password', 'java.home', 'browser'].map(
      (name) => `<property name="${name}" value="v-${name}"/>`,
    )
    const suite = read(
      `<testsuite name="a"><properties>${properties.join('')}</properties><testcase name="t" time="1"/></testsuite>`,
    ).suites[0]
    const told = suite?.events?.flatMap((event) =>
      event.kind === 'variable' ? [[event.name, event.value]] : [],
    )
    expect(told?.slice(0, 2)).toEqual([
      ['db.password', '***'],
      ['browser', 'v-browser'],
    ])
  })

  it('attaches files of the project, and no others', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-import-'))
    const projectRoot = path.join(folder, 'project')
    mkdirSync(path.join(projectRoot, 'shots'), { recursive: true })
    for (const name of ['project/shots/a.png', 'project/.env', 'secret'])
      writeFileSync(path.join(folder, name), name)
    symlinkSync(path.join(folder, 'secret'), path.join(projectRoot, 'link'))
    const named = ['shots/a.png', '.env', '../secret', 'link', path.join(folder, 'secret'), 'none'].map(
      (name) => `[[ATTACHMENT|${name}]]`,
    )
    const xml = `<testsuite name="a"><testcase name="t"><system-out>on\n${named.join('\n')}</system-out></testcase></testsuite>`
    const { suites, refused } = read(xml, { projectRoot })
    const [attempt] = suites[0]?.tests[0]?.attempts ?? []
    expect(attempt?.attachments.map(({ name }) => name)).toEqual(['a.png'])
    expect(attempt?.output).toEqual([{ stream: 'stdout', text: 'on\n' }])
    expect(refused).toHaveLength(5)
  })

  it('reads UTF-16 by its mark, Latin-1 by its declaration, and escape sequences that XML forbids', () => {
    const xml =
      '<testsuite name="Lämpchen"><testcase name="t"><failure message="&#27;[31mred\u0000">\u001B[1mx</failure></testcase></testsuite>'
    const utf16 = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${xml}`, 'utf16le')
    const latin1 = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`, 'latin1')
    for (const bytes of [utf16, Buffer.from(utf16).swap16(), latin1, Buffer.from(`\uFEFF${xml}`)]) {
      const [suite] = read(bytes).suites
      expect(suite?.file).toBe('Lämpchen')
      expect(suite?.tests[0]?.attempts[0]?.errors).toEqual([
        { message: '\u009B[31mred', stack: '\u009B[1mx' },
      ])
    }
  })
})

describe('files that cannot be read', () => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><testsuite name="&c;"/>'
  it.each([
    ['', /it is empty/],
    ['hello', /neither XML nor a JSON object/],
    ['[]', /neither XML/],
    ['{"testResults": [', /not valid JSON: it breaks off or is wrong at/],
    ['{"a": 1}', /its members \(a\) are not those of ctrf, playwright, jest, vitest/],
    [
      '{"testResults": [{"name": 3, "assertionResults": []}]}',
      /its member testResults\.0\.name cannot be read/,
    ],
    ['{"results": {"tool": {"name": "x"}, "summary": {}}}', /its member results\.tests cannot be read/],
    ['<testsuite><testcase name="t">', /not well-formed XML at line 1, column \d+: unclosed tag: testcase/],
    ['<testsuite>&nothing;</testsuite>', /not well-formed XML/],
    ['<TestRun/>', /its root is <TestRun>/],
    [bomb, /it has a DOCTYPE/],
    ['<a>'.repeat(200), /its root is <a>/],
    [`<testsuite>${'<a>'.repeat(200)}`, /nested over 100 deep/],
    [Buffer.from([0x3c, 0x61, 0xff, 0x3e]), /it is not valid utf-8/],
    [
      '<?xml version="1.0" encoding="UTF-16"?><testsuite/>',
      /declares the encoding UTF-16, but is not written in it/,
    ],
    [
      '<?xml version="1.0" encoding="klingon"?><testsuite/>',
      /declares the encoding klingon, which is not known/,
    ],
  ])('says what is wrong with %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})

describe('verdicts of what a file only counts', () => {
  const passes = (name: string) => `<testcase name="${name}"/>`

  it('blames the suite that tells of an error, and not its neighbour', () => {
    const xml = `<testsuites errors="1"><testsuite name="A" errors="0">${passes('a')}</testsuite>
      <testsuite name="B" errors="1"><error message="set-up"/>${passes('b')}</testsuite></testsuites>`
    expect(summarise(read(xml))).toEqual(['passed  A | + a', 'failed  B | + b | ! Suite'])
  })

  it('blames the innermost suite that counts a failure', () => {
    const xml = `<testsuites failures="1"><testsuite name="A" failures="0">${passes('a')}</testsuite>
      <testsuite name="B" failures="1">${passes('b')}</testsuite></testsuites>`
    expect(summarise(read(xml))).toEqual(['passed  A | + a', 'failed  B | + b | ! Failures without a test'])
  })

  it('takes a test with failed reruns alone for failed', () => {
    const xml = '<testsuite name="A"><testcase name="a"><rerunFailure message="x"/></testcase></testsuite>'
    expect(summarise(read(xml))[0]).toMatch(/^failed {2}A \| x2 a/)
  })

  const ctrf = (tests: object[], summary: object) =>
    JSON.stringify({ results: { tool: { name: 'x' }, summary, tests } })

  it.each([
    { status: 'other', rawStatus: 'timedOut' },
    { status: 'other', rawStatus: 'broken' },
    { status: 'error' },
  ])('takes $status $rawStatus of CTRF for failed', (told) => {
    const json = ctrf([{ name: 'b', duration: 1, filePath: 'b.js', ...told }], { failed: 0, other: 1 })
    expect(summarise(read(json))).toEqual(['failed  b.js | x b'])
  })

  it('blames no file for failures of CTRF that are only counted', () => {
    const json = ctrf([{ name: 'a', status: 'passed', duration: 1, filePath: 'a.js' }], { failed: 1 })
    expect(summarise(read(json))).toEqual([
      'passed  a.js | + a',
      'failed  results | ! Failures without a test',
    ])
  })
})

describe('a retried test', () => {
  const measure = ({ suites: [suite] }: { suites: Suite[] }) =>
    suite?.tests.map(({ startedAtMs, durationMs }) => [startedAtMs, durationMs])

  it('lasts as long as its attempts, without the waits between them', () => {
    const results = [
      [0, 320],
      [2000, 300],
      [4340, 331],
    ].map(([afterMs = 0, duration]) => ({
      status: 'failed',
      startTime: new Date(WRITTEN_AT_MS + afterMs).toISOString(),
      duration,
    }))
    const spec = { title: 'reads', file: 'a.spec.js', tests: [{ status: 'unexpected', results }] }
    const json = JSON.stringify({ config: {}, suites: [{ title: 'a.spec.js', specs: [spec] }], errors: [] })
    const report = read(json)
    expect(measure(report)).toEqual([[WRITTEN_AT_MS, 951]])
    expect(report.suites[0]).toMatchObject({ startedAtMs: WRITTEN_AT_MS, durationMs: 4671 })
  })

  it('lasts as long as CTRF says of each attempt', () => {
    const retryAttempts = [{ status: 'failed', duration: 20, start: WRITTEN_AT_MS }]
    const test = { name: 'reads', status: 'passed', duration: 5, filePath: 'a.js', retries: 1, retryAttempts }
    const results = { tool: { name: 'any' }, summary: {}, tests: [{ ...test, start: WRITTEN_AT_MS }] }
    expect(measure(read(JSON.stringify({ results })))).toEqual([[WRITTEN_AT_MS, 25]])
  })

  it('lasts as long as JUnit XML says of each try, or else as it says of the test', () => {
    const xml = (time: string) =>
      `<testsuite name="a" timestamp="2026-01-01T00:00:00Z"><testcase name="reads" time="0.005">` +
      `<flakyFailure message="no" ${time}/></testcase></testsuite>`
    expect(measure(read(xml('time="0.02"')))).toEqual([[WRITTEN_AT_MS, 25]])
    expect(measure(read(xml('')))).toEqual([[WRITTEN_AT_MS, 5]])
  })
})
