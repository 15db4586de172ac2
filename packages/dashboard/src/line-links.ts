import { linkOptions } from '@tanstack/react-router'
import type { LineProcedureSearch, LineSearch, MeasurementSearch } from './line-search'
import type { Scope } from './page-search'

export function lineLink(search: LineSearch & Scope = {}) {
  return linkOptions({ to: '/line', search })
}

/** The yields of a procedure, by its id or identifier, and what fails in it. */
export function lineProcedureLink(procedure: string, search: LineProcedureSearch = {}) {
  return linkOptions({ to: '/line/$procedure', params: { procedure }, search })
}

/** One measurement of a procedure: whether it is in control and capable. */
export function measurementLink(procedure: string, search: MeasurementSearch) {
  return linkOptions({ to: '/line/$procedure/measurement', params: { procedure }, search })
}

/** A measurement by its names, as the service lists it; its name is left out where it is that of its phase. */
export function namedMeasurementLink(
  procedure: string,
  { phase, measurement }: { phase: string; measurement: string | null },
  days?: LineSearch['days'],
) {
  return measurementLink(procedure, {
    days,
    phase,
    measurement: measurement === phase ? undefined : (measurement ?? undefined),
  })
}
