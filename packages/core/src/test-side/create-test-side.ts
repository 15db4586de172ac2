import { createClock } from './clock'
import { createMeasuring, nameSteps } from './measuring'
import {
  checkKeys,
  checkName,
  checkNumber,
  checkString,
  checkText,
  MisuseError,
  readIdentifier,
} from './misuse'
import { nextOrder, type FindPlace, type Stamp } from './place'
import { readAttachment } from './read-attachment'
import type { Said } from './said'
import { currentSteps, runInStep } from './step-path'
import type { AttachOptions, TestSide, UnitUnderTest } from './test-side'

export interface TestSideSettings {
  /** Asked in each call. */
  findPlace: FindPlace
  /** Name of the errors by which the framework tells a failed assertion. */
  errorName: string
}

type Unstamped<Each> = Each extends Said ? Omit<Each, 'order' | 'atMs'> : never
type Say = (said: Unstamped<Said>) => void

const now = createClock()
const stamp = (): Stamp => ({ order: nextOrder(), atMs: now() })

/** The functions for one framework. They need no `this`. */
export function createTestSide({ findPlace, errorName }: TestSideSettings): TestSide {
  const say: Say = (said) => {
    findPlace()?.say({ ...said, ...stamp() } as Said)
  }

  function attach(name: string, options: AttachOptions): void {
    const attachment = readAttachment(name, options)
    const refusal = findPlace()?.attach(attachment, stamp())
    if (refusal !== undefined) say({ kind: 'log', message: `not attached: ${name}: ${refusal}` })
  }

  return { ...createMeasuring(say, errorName), ...createTelling(say), attach, step: createStep(findPlace) }
}

function createTelling(say: Say): Pick<TestSide, 'variable' | 'subUnit' | 'unitUnderTest' | 'log'> {
  return {
    variable: (name, value) => {
      checkName('variable', 'name', name)
      if (typeof value === 'number') checkNumber('variable', 'value', value)
      else if (typeof value !== 'boolean') checkText('variable', 'value', value)
      say({ kind: 'variable', name, value: String(value) })
    },
    subUnit: (serialNumber) => {
      say({ kind: 'sub-unit', serialNumber: readIdentifier('subUnit', 'serialNumber', serialNumber) })
    },
    unitUnderTest: (unit) => {
      checkKeys('unitUnderTest', unit, ['serialNumber', 'partNumber', 'revision'])
      const serialNumber = readIdentifier('unitUnderTest', 'serialNumber', unit.serialNumber)
      const [partNumber, revision] = [readOptional(unit, 'partNumber'), readOptional(unit, 'revision')]
      say({ kind: 'unit', serialNumber, partNumber, revision })
    },
    log: (message) => {
      checkString('log', 'message', message)
      say({ kind: 'log', message: cutMessage(message) })
    },
  }
}

/** Longest line of a log, in characters: what a device dumps is better attached. */
const MAX_MESSAGE_LENGTH = 100_000

function cutMessage(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message
  return `${message.slice(0, MAX_MESSAGE_LENGTH)}… (cut, of ${message.length} characters)`
}

function readOptional(unit: UnitUnderTest, field: 'partNumber' | 'revision'): string | undefined {
  return unit[field] === undefined ? undefined : readIdentifier('unitUnderTest', field, unit[field])
}

function createStep(findPlace: FindPlace): TestSide['step'] {
  const step: TestSide['step'] = async (name, body) => {
    checkName('step', 'name', name)
    if (typeof body !== 'function')
      throw new MisuseError('step', { field: 'body', value: body, fix: 'give a function' })
    const place = findPlace()
    if (place === undefined) return body()
    const begun = stamp()
    const within = nameSteps(currentSteps())
    const run = (): ReturnType<typeof body> =>
      place.runStep ? place.runStep(name, body, captureStack(step)) : body()
    const end = (passed: boolean): void =>
      place.say({ kind: 'step', name, ...within, passed, durationMs: now() - begun.atMs, ...begun })
    try {
      const result = await runInStep(name, run)
      end(true)
      return result
    } catch (error) {
      end(false)
      throw error
    }
  }
  return step
}

/** The stack from the line on that called a function. */
function captureStack(below: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {}
  Error.captureStackTrace?.(holder, below)
  return holder.stack
}
