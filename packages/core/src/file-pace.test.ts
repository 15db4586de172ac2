import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FilePace } from './file-pace'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const take = (milliseconds: number): void => void vi.advanceTimersByTime(milliseconds)

/** How a thing that takes so many milliseconds is done. */
function does(pace: FilePace, milliseconds: number): Promise<string> {
  return pace.do(
    () => {
      take(milliseconds)
      return 'at once'
    },
    async () => {
      take(milliseconds)
      return 'patiently'
    },
  )
}

it('does things at once when one has been done quickly', async () => {
  const pace = new FilePace()
  expect(await does(pace, 1)).toBe('patiently')
  expect(await does(pace, 1)).toBe('at once')
})

it('is patient as long as things are slow', async () => {
  const pace = new FilePace()
  expect(await does(pace, 300)).toBe('patiently')
  expect(await does(pace, 300)).toBe('patiently')
})

it.each([300, 30])(
  'holds the process up for no more than a fiftieth of the time with %d ms',
  async (slow) => {
    const pace = new FilePace()
    await does(pace, 1)
    expect(await does(pace, slow)).toBe('at once')
    expect(await does(pace, 1)).toBe('patiently')
    take(50 * slow - 10)
    expect(await does(pace, 1)).toBe('patiently')
    take(10)
    expect(await does(pace, 1)).toBe('at once')
  },
)

it('can be told to bear more, and to try again soon', async () => {
  const pace = new FilePace({ slowMs: 250, patience: 0 })
  await does(pace, 1)
  expect(await does(pace, 240)).toBe('at once')
  expect(await does(pace, 300)).toBe('at once')
  expect(await does(pace, 1)).toBe('patiently')
  expect(await does(pace, 1)).toBe('at once')
})

it('does not take what fails for quick', async () => {
  const pace = new FilePace()
  const fail = (): never => {
    throw new Error('it is not there')
  }
  await expect(pace.do(fail, async () => fail())).rejects.toThrow('not there')
  expect(pace.isQuick).toBe(false)
})

it('gives others their turn, however much there is to do', async () => {
  const pace = new FilePace()
  await does(pace, 1)
  let turns = 0
  let isDone = false
  const others = (): void => {
    turns += 1
    if (!isDone) setImmediate(others)
  }
  setImmediate(others)
  await Promise.all(Array.from({ length: 100 }, () => does(pace, 1)))
  isDone = true
  expect(turns).toBeGreaterThan(10)
})
