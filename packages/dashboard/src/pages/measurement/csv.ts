import type { LineMeasurement } from '@runledger/protocol'
import { writeCsvLine } from '@runledger/presentation'

/** The values with their limits as CSV, as `runledger line --csv` prints them. */
export function writeValues({ values, unit, procedure, phase, measurement }: LineMeasurement): string {
  const names = { procedure: procedure.identifier, phase, measurement, unit_of_measure: unit }
  const [first] = values
  return [
    writeCsvLine(Object.keys({ ...names, ...first })),
    ...values.map((value) => writeCsvLine(Object.values({ ...names, ...value }))),
  ].join('')
}

/** Downloads the text as a file. */
export function saveCsv(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name.replace(/[^\w.-]+/g, '_')}.csv`
  link.click()
  URL.revokeObjectURL(address)
}
