import { parseJUnit } from './junit-file'
import { findProducer } from './junit-producers'
import { sortIntoRuns } from './junit-runs'
import type { ReadContext, Results } from './results'
import { completeSuite } from './suite-draft'

/** Reads JUnit XML as any of the many tools writes it. @throws ResultFileError */
export function readJUnit(text: string, context: ReadContext): Results {
  const file = parseJUnit(text)
  const producer = findProducer(file)
  const drafts = sortIntoRuns(file, producer, context)
  return { framework: producer.name, suites: drafts.map((draft) => completeSuite(draft, context)) }
}
