import type { Pace, RunOutcome } from '@runledger/protocol'
import { decodeText } from '../decode-text'
import { fileOf, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { readRunOutcome } from '../unit/outcomes'
import type { UnitReport } from '../unit/report'
import { parseXml, type XmlElement } from '../xml'
import { attributeOf, childrenOf, find, placeOf, textOf } from '../xml-tree'
import { mapStep, readTime, wordOf } from './map-step'

/** Reads test results of ATML (IEEE 1636.1), one unit after another. @throws ReadError */
export async function* readAtml(
  bytes: Uint8Array,
  times: TimeReader,
  pace?: Pace,
): AsyncGenerator<UnitReport> {
  const root = await parseXml(decodeText(bytes), pace)
  if (root.name !== 'TestResultsCollection' && root.name !== 'TestResults')
    throw fileOf(`its root is <${root.name}>, not <TestResults> or <TestResultsCollection>: it is not ATML`)
  const all = root.name === 'TestResults' ? [root] : childrenOf(root, 'TestResults')
  for (const results of all) yield mapResults(results, times)
}

function mapResults(results: XmlElement, times: TimeReader): UnitReport {
  const at = placeOf(results)
  const set = find(results, 'ResultSet')
  if (set === undefined) throw new ReadError([{ path: at, message: 'has no <ResultSet>' }])
  const startedAtUs = readTime(set, 'startDateTime', times)
  if (startedAtUs === undefined)
    throw new ReadError([{ path: [...placeOf(set), 'startDateTime'], message: 'is missing' }])
  const uut = find(results, 'UUT')
  const identification = find(uut, 'Definition', 'Identification')
  const properties = find(results, 'Extension', 'TSResultSetProperties')
  const main = mapStep(set, times)
  const file = attributeOf(set, 'name')?.split('#')[0]
  return {
    at,
    format: 'ATML',
    procedureName: nameProcedure(file),
    serialNumber: textOf(find(uut, 'SerialNumber')),
    partNumber: findPartNumber(identification) ?? nameOf(find(identification, 'ModelName')),
    revision: attributeOf(find(uut, 'Definition'), 'version'),
    batch: attributeOf(find(properties, 'BatchSerialNumber'), 'value'),
    station: textOf(find(results, 'TestStation', 'SerialNumber')),
    operator: attributeOf(find(results, 'Personnel', 'SystemOperator'), 'name'),
    startedAtUs,
    durationUs: main.durationUs,
    outcome: readOutcome(set),
    errors: [...main.errors, ...main.texts],
    steps: main.steps,
    leftOut: main.leftOut,
    metadata: [
      ['report_id', attributeOf(results, 'uuid')],
      ['sequence', file],
      ['model', nameOf(find(identification, 'ModelName'))],
      ['test_socket', attributeOf(find(properties, 'TestSocketIndex'), 'value')],
    ],
  }
}

/** `C:\tests\Final test.seq` is the procedure `Final test`. */
function nameProcedure(file: string | undefined): string | undefined {
  return (
    file
      ?.split(/[\\/]/)
      .at(-1)
      ?.replace(/\.seq$/i, '')
      .trim() || undefined
  )
}

function findPartNumber(identification: XmlElement | undefined): string | undefined {
  const numbers = childrenOf(find(identification, 'IdentificationNumbers'), 'IdentificationNumber')
  const part = numbers.find((one) => attributeOf(one, 'type') === 'Part') ?? numbers[0]
  return attributeOf(part, 'number')
}

/** TestStand writes UNKNOWN for an unknown name. */
function nameOf(element: XmlElement | undefined): string | undefined {
  const text = textOf(element)
  return text === 'UNKNOWN' ? undefined : text
}

function readOutcome(set: XmlElement): RunOutcome {
  const isKnown = (word: string) => /^(?:error|terminated|aborted|done|skipped)$/i.test(word)
  return readRunOutcome(wordOf(find(set, 'Outcome'), isKnown), [...placeOf(set), 'Outcome'])
}
