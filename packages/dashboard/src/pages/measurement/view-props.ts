import type { LineMeasurement } from '@runledger/protocol'
import type { MeasurementSearch } from '../../line-search'

/** A measurement that was found, and what the address asks for. */
export interface MeasurementViewProps {
  found: LineMeasurement
  search: MeasurementSearch & { phase: string; days: NonNullable<MeasurementSearch['days']> }
}
