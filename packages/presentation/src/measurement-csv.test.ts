import type { LineMeasurement } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { writeMeasurementCsv } from './measurement-csv'

const HEADS =
  'procedure,phase,measurement,unit_of_measure,run_id,serial_number,station,batch,version,value,limit_low,limit_high,started_at,passed\r\n'

// In another order than the columns.
const VALUE = {
  started_at: '2026-11-29T10:00:00.000Z',
  passed: true,
  value: 3.3,
  limit_high: null,
  limit_low: 3.1,
  version: '1.2',
  batch: 'LOT-1',
  station: null,
  serial_number: 'SN-1',
  run_id: 'r',
}

function measurementWith(values: LineMeasurement['values']): LineMeasurement {
  const procedure = { id: 'p', identifier: 'FVT', name: 'Final test' }
  return { procedure, phase: 'supply', measurement: 'rail', unit: 'V', values } as LineMeasurement
}

it('writes each value below the name of its column, whatever their order in the answer', () => {
  expect(writeMeasurementCsv(measurementWith([VALUE]))).toBe(
    `${HEADS}FVT,supply,rail,V,r,SN-1,,LOT-1,1.2,3.3,3.1,,2026-11-29T10:00:00.000Z,true\r\n`,
  )
})

it('writes the names of the columns when there is no value', () => {
  expect(writeMeasurementCsv(measurementWith([]))).toBe(HEADS)
})
