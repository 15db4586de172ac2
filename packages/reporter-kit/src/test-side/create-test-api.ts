import type { TestApiEvent } from '@runledger/core'
import {
  checkKeys,
  checkName,
  checkNumber,
  checkString,
  checkText,
  readAttachment,
  readIdentifier,
  readBatchNumber,
} from './check-arguments'
import { createStamp, type FindSink } from './event-sink'
import { createMeasureFunctions, type MeasureSetup } from './measure'
import { createStep } from './step'
import type { TestApi, UnitUnderTest } from './test-api-types'

type Unstamped<Event> = Event extends TestApiEvent ? Omit<Event, 'order' | 'atMs'> : never
type RecordEvent = (event: Unstamped<TestApiEvent>) => void

export interface TestApiSetup extends Omit<MeasureSetup, 'record'> {
  findSink: FindSink
}

/** The functions can be called without `this`. */
export function createTestApi({ findSink, ...setup }: TestApiSetup): TestApi {
  const record: RecordEvent = (event) => {
    findSink()?.record({ ...event, ...createStamp() } as TestApiEvent)
  }
  return {
    ...createMeasureFunctions({ record, ...setup }),
    ...createRunFunctions(record),
    step: createStep(findSink),
    attach: (name, options) => {
      const attachment = readAttachment(name, options)
      const refusal = findSink()?.attach(attachment, createStamp())
      if (refusal !== undefined) record({ kind: 'log', message: `not attached: ${name}: ${refusal}` })
    },
  }
}

function createRunFunctions(
  record: RecordEvent,
): Pick<TestApi, 'variable' | 'subUnit' | 'unitUnderTest' | 'log'> {
  return {
    variable: (name, value) => {
      checkName('variable', 'name', name)
      if (typeof value === 'number') checkNumber('variable', 'value', value)
      else if (typeof value !== 'boolean') checkText('variable', 'value', value)
      record({ kind: 'variable', name, value: String(value) })
    },
    subUnit: (serialNumber) => {
      record({ kind: 'sub-unit', serialNumber: readIdentifier('subUnit', 'serialNumber', serialNumber) })
    },
    unitUnderTest: (unit) => {
      checkKeys('unitUnderTest', unit, ['serialNumber', 'partNumber', 'revision', 'batchNumber'])
      const serialNumber = readIdentifier('unitUnderTest', 'serialNumber', unit.serialNumber)
      const partNumber = readOptional(unit, 'partNumber')
      const revision = readOptional(unit, 'revision')
      record({
        kind: 'unit',
        serialNumber,
        partNumber,
        revision,
        batchNumber: unit.batchNumber === undefined ? undefined : readBatchNumber(unit.batchNumber),
      })
    },
    log: (message) => {
      checkString('log', 'message', message)
      record({ kind: 'log', message: cutMessage(message) })
    },
  }
}

function readOptional(unit: UnitUnderTest, field: 'partNumber' | 'revision'): string | undefined {
  return unit[field] === undefined ? undefined : readIdentifier('unitUnderTest', field, unit[field])
}

/** Longest line of a log; longer texts should be attached. */
const MAX_MESSAGE_LENGTH = 100_000

function cutMessage(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message
  return `${message.slice(0, MAX_MESSAGE_LENGTH)}… (cut, of ${message.length} characters)`
}
