import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestSide } from './create-test-side'
import { judgeWithinLimits } from './matcher'
import type { GivenAttachment } from './place'
import type { Said } from './said'
import type { TestSide } from './test-side'

function listen() {
  const said: Said[] = []
  const attached: GivenAttachment[] = []
  const place = {
    say: (each: Said) => void said.push(each),
    attach: (each: GivenAttachment) => void attached.push(each),
  }
  return { said, attached, ...createTestSide({ findPlace: () => place, errorName: 'AssertionError' }) }
}
const NOBODY = createTestSide({ findPlace: () => undefined, errorName: 'Error' })
const LIMITS = { unit: 'V', low: 3.2, high: 3.4 }

afterEach(() => {
  vi.useRealTimers()
})

describe('measure', () => {
  it('records the value with its limits, which belong to what passes', () => {
    const { said, measure } = listen()
    expect([measure('low', 3.2, LIMITS), measure('high', 3.4, LIMITS), measure('any', -1)]).toEqual([
      true,
      true,
      true,
    ])
    expect(said).toMatchObject([
      { kind: 'measurement', name: 'low', value: 3.2, ...LIMITS, passed: true },
      { name: 'high', passed: true },
      { name: 'any', value: -1, passed: true },
    ])
  })

  it('records what is outside its limits, then throws what reads like an assertion, from the caller’s line', () => {
    const { said, measure } = listen()
    let error: unknown
    try {
      measure('output', 3.5, LIMITS)
    } catch (thrown) {
      error = thrown
    }
    expect(said).toMatchObject([{ name: 'output', passed: false }])
    expect((error as Error).message).toBe('measure("output")\n\nExpected: 3.2 to 3.4 V\nReceived: 3.5 V')
    expect((error as Error).name).toBe('AssertionError')
    expect((error as Error).stack?.split('\n    at ')[1]).toContain('create-test-side.test')
  })

  it('goes on where it is told to be soft', () => {
    const { said, measure } = listen()
    expect(measure('output', 3.5, { ...LIMITS, soft: true })).toBe(false)
    expect(said).toMatchObject([{ passed: false }])
  })

  it('tells time by the real clock, in the order of the calls', () => {
    vi.useFakeTimers({ now: 0 })
    const { said, measure } = listen()
    for (let index = 0; index < 3; index += 1) measure('x', index)
    vi.useRealTimers()
    const [first, second, third] = said as [Said, Said, Said]
    expect(Math.abs(first.atMs - Date.now())).toBeLessThan(1_000)
    expect([second.order - first.order, third.order - second.order]).toEqual([1, 1])
  })

  it('puts all samples on record before it throws for those outside', () => {
    const { said, measureAll } = listen()
    expect(() => measureAll('ripple', new Float64Array([1, 5, 2, 6]), { high: 4, unit: 'mV' })).toThrow(
      'measureAll("ripple")\n\nExpected:  at most 4 mV\nripple #2: 5 mV\nripple #4: 6 mV',
    )
    expect(said.map((each) => 'name' in each && each.name)).toEqual([
      'ripple #1',
      'ripple #2',
      'ripple #3',
      'ripple #4',
    ])
  })
})

const misuses: [string, (side: TestSide) => unknown, RegExp][] = [
  ['NaN', ({ measure }) => measure('x', Number.NaN), /measure: value is NaN; give a finite number/],
  ['infinity', ({ measure }) => measure('x', -Infinity), /value is -Infinity/],
  ['a text as value', ({ measure }) => measure('x', '3.3' as never), /value is "3.3"/],
  ['no name', ({ measure }) => measure(' ', 1), /name is " "/],
  ['a name that is none', ({ measure }) => measure(7 as never, 1), /name is 7/],
  [
    'limits in the wrong order',
    ({ measure }) => measure('x', 1, { low: 2, high: 1 }),
    /low is 2; give at most high, which is 1/,
  ],
  ['a limit that is none', ({ measure }) => measure('x', 1, { high: Number.NaN }), /high is NaN/],
  [
    'an unknown key',
    ({ measure }) => measure('x', 1, { max: 1 } as never),
    /no key "max"; use one of unit, low, high, soft/,
  ],
  ['a sample that is none', ({ measureAll }) => measureAll('x', [1, Infinity]), /values\[1\] is Infinity/],
  ['no samples', ({ measureAll }) => measureAll('x', []), /at least one number/],
  ['an empty serial number', ({ subUnit }) => subUnit(''), /serialNumber is ""/],
  [
    'a unit without a serial number',
    ({ unitUnderTest }) => unitUnderTest({} as never),
    /serialNumber is undefined/,
  ],
  ['a variable that is an object', ({ variable }) => variable('x', {} as never), /value is an object/],
  ['a log line that is none', ({ log }) => log(undefined as never), /message is undefined/],
  [
    'a file that is not there',
    ({ attach }) => attach('x', { path: 'nowhere.png' }),
    /path is "nowhere.png"; give the path of a file that exists/,
  ],
  ['a folder', ({ attach }) => attach('x', { path: '.' }), /path is "."/],
  ['neither path nor body', ({ attach }) => attach('x', {} as never), /either path or body/],
  ['a body that is none', ({ attach }) => attach('x', { body: 1 as never }), /body is 1/],
]

describe.each(misuses)('%s', (_what, call, message) => {
  it.each([
    ['with', listen()],
    ['without', NOBODY],
  ])('is refused at the call %s a reporter, and nothing is recorded', (_reporter, side) => {
    expect(() => call(side)).toThrow(message)
    expect(() => call(side)).toThrow(TypeError)
    expect('said' in side ? side.said : []).toEqual([])
  })
})

describe('step', () => {
  it('records nested steps, and measurements with the steps around them, also side by side', async () => {
    const { said, step, measure } = listen()
    const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))
    const answer = await step('outer', async () => {
      await Promise.all([
        step('slow', async () => {
          await pause(20)
          measure('a', 1)
        }),
        step('quick', async () => measure('b', 2)),
      ])
      return 42
    })
    expect(answer).toBe(42)
    const paths = said.map((each) => [
      each.kind,
      ...('within' in each ? (each.within ?? []) : []),
      'name' in each && each.name,
    ])
    expect(paths).toEqual([
      ['measurement', 'outer', 'quick', 'b'],
      ['step', 'outer', 'quick'],
      ['measurement', 'outer', 'slow', 'a'],
      ['step', 'outer', 'slow'],
      ['step', 'outer'],
    ])
    expect(said.at(-1)).toMatchObject({ passed: true, order: Math.min(...said.map(({ order }) => order)) })
  })

  it('fails as its body does', async () => {
    const { said, step } = listen()
    await expect(step('breaks', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(
      NOBODY.step('breaks', () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(said).toMatchObject([{ kind: 'step', name: 'breaks', passed: false }])
  })
})

describe('attach', () => {
  it('hands over bytes, text and files', () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'runledger-attach-'))
    const file = path.join(dir, 'a.png')
    writeFileSync(file, 'png')
    const { attached, attach } = listen()
    attach('text', { body: 'three' })
    attach('bytes', { body: Buffer.from([1, 2]), contentType: 'image/png' })
    attach('file', { path: file })
    rmSync(dir, { recursive: true })
    expect(attached).toEqual([
      { name: 'text', contentType: 'text/plain', source: { bytes: Buffer.from('three') } },
      { name: 'bytes', contentType: 'image/png', source: { bytes: new Uint8Array([1, 2]) } },
      { name: 'file', contentType: undefined, source: { path: file } },
    ])
  })

  it('says in the log why bytes could not be kept, and fails no test for it', () => {
    const said: Said[] = []
    const place = { say: (each: Said) => void said.push(each), attach: () => 'the disk is full' }
    createTestSide({ findPlace: () => place, errorName: 'Error' }).attach('shot', { body: 'x' })
    expect(said).toMatchObject([{ kind: 'log', message: 'not attached: shot: the disk is full' }])
  })
})

describe('log', () => {
  it('cuts what is very long, and says so, rather than fail a test for it', () => {
    const { said, log } = listen()
    log('x'.repeat(100_001))
    expect(said[0]).toMatchObject({
      message: expect.stringMatching(/^x{100000}… \(cut, of 100001 characters\)$/) as string,
    })
  })
})

describe('toBeWithinLimits', () => {
  it('records, and judges as matchers do', () => {
    const { said, measure } = listen()
    expect(judgeWithinLimits(3.3, { name: 'output', ...LIMITS }, measure).pass).toBe(true)
    const outside = judgeWithinLimits(3.5, { name: 'output', ...LIMITS }, measure)
    expect([outside.pass, outside.message()]).toEqual([
      false,
      'expect(output).toBeWithinLimits(limits)\n\nExpected: 3.2 to 3.4 V\nReceived: 3.5 V',
    ])
    expect(said).toMatchObject([{ passed: true }, { passed: false }])
    expect(() => judgeWithinLimits('3', { name: 'x' }, measure)).toThrow('the value expected is "3"')
  })
})
