import type { QueryClient } from '@tanstack/react-query'
import type { LineProcedureSearch, LineSearch, MeasurementSearch } from '../line-search'
import { gaugeStudyQuery, lineFailuresQuery, lineQuery, measurementQuery, yieldsQuery } from './line'
import { partQuery, rolledYieldsQuery, unitListQuery } from './units'

/** Starts to read data of slow pages while their code loads. It uses the cache, and the page shows failures. */

export function startLine(client: QueryClient, search: LineSearch): void {
  ignoreFailure(client.ensureQueryData(lineQuery(search)))
}

export function startProcedure(client: QueryClient, procedure: string, search: LineProcedureSearch): void {
  ignoreFailure(client.ensureQueryData(yieldsQuery(procedure, search)))
  ignoreFailure(client.ensureQueryData(lineFailuresQuery(procedure, search)))
}

export function startMeasurement(client: QueryClient, procedure: string, search: MeasurementSearch): void {
  const { phase } = search
  if (phase === undefined) return
  ignoreFailure(client.ensureQueryData(measurementQuery(procedure, { ...search, phase })))
  ignoreFailure(client.ensureQueryData(gaugeStudyQuery(procedure, { ...search, phase })))
}

export function startPart(client: QueryClient, number: string, revision: string | undefined): void {
  const of = { part_number: number, revision_number: revision }
  ignoreFailure(client.ensureQueryData(partQuery(number)))
  ignoreFailure(client.ensureQueryData(rolledYieldsQuery(of)))
  const units = unitListQuery({ part_numbers: number, revision_numbers: revision })
  ignoreFailure(client.ensureInfiniteQueryData(units))
}

function ignoreFailure(read: Promise<unknown>): void {
  read.catch(() => undefined)
}
