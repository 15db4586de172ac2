import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TestApiEvent } from '@runledger/core'
import { createTestApi } from './create-test-api'
import type { AttachmentInput, EventSink } from './event-sink'
import type { TestApi } from './test-api-types'

/** The functions with a sink that keeps what it is given, in a test that fails at its end or cannot. */
function createListening({ canFailAtEnd = true } = {}) {
  const events: TestApiEvent[] = []
  const failures: Error[] = []
  const attached: AttachmentInput[] = []
  const sink: EventSink = {
    record: (each) => void events.push(each),
    attach: (each) => {
      attached.push(each)
      return undefined
    },
  }
  const failAtEnd = (error: Error): boolean => canFailAtEnd && failures.push(error) > 0
  const setup = { findSink: () => sink, errorName: 'AssertionError', failAtEnd }
  return { events, attached, failures, ...createTestApi(setup) }
}
const WITHOUT_REPORTER = createTestApi({
  findSink: () => undefined,
  errorName: 'Error',
  failAtEnd: () => false,
})
const LIMITS = { unit: 'V', low: 3.2, high: 3.4 }

afterEach(() => {
  vi.useRealTimers()
})

describe('measure', () => {
  it('records the value with its limits, which belong to the passing range', () => {
    const { events, measure } = createListening()
    expect([measure('low', 3.2, LIMITS), measure('high', 3.4, LIMITS), measure('any', -1)]).toEqual([
      true,
      true,
      true,
    ])
    expect(events).toMatchObject([
      { kind: 'measurement', name: 'low', value: 3.2, ...LIMITS, passed: true },
      { name: 'high', passed: true },
      { name: 'any', value: -1, passed: true },
    ])
  })

  it('records a value outside its limits, then throws an error that reads like a failed assertion at the caller’s line', () => {
    const { events, measure } = createListening()
    let error: unknown
    try {
      measure('output', 3.5, LIMITS)
    } catch (thrown) {
      error = thrown
    }
    expect(events).toMatchObject([{ name: 'output', passed: false }])
    expect((error as Error).message).toBe('measure("output")\n\nExpected: 3.2 to 3.4 V\nReceived: 3.5 V')
    expect((error as Error).name).toBe('AssertionError')
    expect((error as Error).stack?.split('\n    at ')[1]).toContain('create-test-api.test')
  })

  it('has the test fail at its end when it is soft, with the error that it would throw', () => {
    const { events, failures, measure, measureAll } = createListening()
    expect(measure('output', 3.5, { ...LIMITS, soft: true })).toBe(false)
    expect(measureAll('ripple', [1, 5], { high: 4, soft: true })).toBe(false)
    expect(measure('input', 3.3, { ...LIMITS, soft: true })).toBe(true)
    expect(events).toMatchObject([{ passed: false }, { passed: true }, { passed: false }, { passed: true }])
    expect(failures.map(({ message }) => message)).toEqual([
      'measure("output")\n\nExpected: 3.2 to 3.4 V\nReceived: 3.5 V',
      'measureAll("ripple")\n\nExpected:  at most 4\nripple #2: 5',
    ])
    expect(failures[0]?.stack?.split('\n    at ')[1]).toContain('create-test-api.test')
  })

  it('throws when it is soft and no test can fail at its end', () => {
    const { events, measure } = createListening({ canFailAtEnd: false })
    expect(() => measure('output', 3.5, { ...LIMITS, soft: true })).toThrow('Received: 3.5 V')
    expect(events).toMatchObject([{ passed: false }])
  })

  it('fails nothing when limits are only recorded', () => {
    const { events, failures, measure, measureAll } = createListening()
    expect(measure('output', 3.5, { ...LIMITS, limits: 'record' })).toBe(false)
    expect(measureAll('ripple', [1, 5], { high: 4, limits: 'record' })).toBe(false)
    expect(events).toMatchObject([false, true, false].map((passed) => ({ passed, limits: 'record' })))
    expect(failures).toEqual([])
  })

  it('stamps events by the real clock, in the order of the calls', () => {
    vi.useFakeTimers({ now: 0 })
    const { events, measure } = createListening()
    for (let index = 0; index < 3; index += 1) measure('x', index)
    vi.useRealTimers()
    const [first, second, third] = events as [TestApiEvent, TestApiEvent, TestApiEvent]
    expect(Math.abs(first.atMs - Date.now())).toBeLessThan(1_000)
    expect([second.order - first.order, third.order - second.order]).toEqual([1, 1])
  })

  it('records all samples before it throws for those outside the limits', () => {
    const { events, measureAll } = createListening()
    expect(() => measureAll('ripple', new Float64Array([1, 5, 2, 6]), { high: 4, unit: 'mV' })).toThrow(
      'measureAll("ripple")\n\nExpected:  at most 4 mV\nripple #2: 5 mV\nripple #4: 6 mV',
    )
    expect(events.map((each) => 'name' in each && each.name)).toEqual([
      'ripple #1',
      'ripple #2',
      'ripple #3',
      'ripple #4',
    ])
  })

  it('throws for many samples outside the limits as for a few', () => {
    const { events, measureAll } = createListening()
    const message = /^measureAll\("ripple"\)\n\nExpected: {7}at most 4\n[^]*\nripple #150000: 5$/
    expect(() => measureAll('ripple', new Float64Array(150_000).fill(5), { high: 4 })).toThrow(message)
    expect(events).toHaveLength(150_000)
  })
})

const misuses: [string, (side: TestApi) => unknown, RegExp][] = [
  ['NaN', ({ measure }) => measure('x', Number.NaN), /measure: value is NaN; give a finite number/],
  ['infinity', ({ measure }) => measure('x', -Infinity), /value is -Infinity/],
  ['a text as value', ({ measure }) => measure('x', '3.3' as never), /value is "3.3"/],
  ['no name', ({ measure }) => measure(' ', 1), /name is " "/],
  ['a number as name', ({ measure }) => measure(7 as never, 1), /name is 7/],
  [
    'limits in the wrong order',
    ({ measure }) => measure('x', 1, { low: 2, high: 1 }),
    /low is 2; give at most high, which is 1/,
  ],
  ['a limit that is NaN', ({ measure }) => measure('x', 1, { high: Number.NaN }), /high is NaN/],
  [
    'an unknown key',
    ({ measure }) => measure('x', 1, { max: 1 } as never),
    /no key "max"; use one of unit, low, high, soft, limits/,
  ],
  [
    'limits of another kind',
    ({ measure }) => measure('x', 1, { limits: 'keep' as never }),
    /limits is "keep"/,
  ],
  [
    'limits that are soft and recorded',
    ({ measure }) => measure('x', 1, { soft: true, limits: 'record' }),
    /give one of them/,
  ],
  ['an infinite sample', ({ measureAll }) => measureAll('x', [1, Infinity]), /values\[1\] is Infinity/],
  ['no samples', ({ measureAll }) => measureAll('x', []), /at least one number/],
  ['an empty serial number', ({ subUnit }) => subUnit(''), /serialNumber is ""/],
  [
    'a unit without a serial number',
    ({ unitUnderTest }) => unitUnderTest({} as never),
    /serialNumber is undefined/,
  ],
  ['a variable that is an object', ({ variable }) => variable('x', {} as never), /value is an object/],
  ['an undefined log line', ({ log }) => log(undefined as never), /message is undefined/],
  [
    'a file that does not exist',
    ({ attach }) => attach('x', { path: 'nowhere.png' }),
    /path is "nowhere.png"; give the path of a file that exists/,
  ],
  ['a folder', ({ attach }) => attach('x', { path: '.' }), /path is "."/],
  ['neither path nor body', ({ attach }) => attach('x', {} as never), /either path or body/],
  ['a number as body', ({ attach }) => attach('x', { body: 1 as never }), /body is 1/],
]

describe.each(misuses)('%s', (_what, call, message) => {
  it.each([
    ['with', createListening()],
    ['without', WITHOUT_REPORTER],
  ])('is refused at the call %s a reporter, and nothing is recorded', (_reporter, side) => {
    expect(() => call(side)).toThrow(message)
    expect(() => call(side)).toThrow(TypeError)
    expect('events' in side ? side.events : []).toEqual([])
  })
})

describe('step', () => {
  it('records nested steps, and measurements with the steps around them, also side by side', async () => {
    const { events, step, measure } = createListening()
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
    const paths = events.map((each) => [
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
    expect(events.at(-1)).toMatchObject({
      passed: true,
      order: Math.min(...events.map(({ order }) => order)),
    })
  })

  it('rejects with the error of its body', async () => {
    const { events, step } = createListening()
    await expect(step('breaks', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await expect(
      WITHOUT_REPORTER.step('breaks', () => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(events).toMatchObject([{ kind: 'step', name: 'breaks', passed: false }])
  })
})

describe('attach', () => {
  it('hands over bytes, text and files', () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'runledger-attach-'))
    const file = path.join(dir, 'a.png')
    writeFileSync(file, 'png')
    const { attached, attach } = createListening()
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

  it('logs why bytes could not be taken over, and does not fail the test', () => {
    const events: TestApiEvent[] = []
    const sink: EventSink = { record: (each) => void events.push(each), attach: () => 'the disk is full' }
    createTestApi({ findSink: () => sink, errorName: 'Error', failAtEnd: () => false }).attach('shot', {
      body: 'x',
    })
    expect(events).toMatchObject([{ kind: 'log', message: 'not attached: shot: the disk is full' }])
  })
})

describe('log', () => {
  it('cuts a very long message and marks the cut', () => {
    const { events, log } = createListening()
    log('x'.repeat(100_001))
    expect(events[0]).toMatchObject({
      message: expect.stringMatching(/^x{100000}… \(cut, of 100001 characters\)$/) as string,
    })
  })
})

describe('toBeWithinLimits', () => {
  it('records the value and returns the verdict and message of a matcher', () => {
    const { events, toBeWithinLimits } = createListening()
    expect(toBeWithinLimits(3.3, { name: 'output', ...LIMITS }).pass).toBe(true)
    const outside = toBeWithinLimits(3.5, { name: 'output', ...LIMITS })
    expect([outside.pass, outside.message()]).toEqual([
      false,
      'expect(output).toBeWithinLimits(limits)\n\nExpected: 3.2 to 3.4 V\nReceived: 3.5 V',
    ])
    expect(events).toMatchObject([{ passed: true }, { passed: false }])
    expect(() => toBeWithinLimits('3', { name: 'x' })).toThrow('the value expected is "3"')
  })
})
