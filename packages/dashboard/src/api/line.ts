import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  DEFAULT_DAYS,
  DEFAULT_GROUP,
  type LineProcedureSearch,
  type LineSearch,
  type MeasurementSearch,
} from '../line-search'
import { isSignInNeeded } from './api-error'
import { queryKeys } from './query-keys'
import { service } from './service'

const REFRESH_MS = 60_000

/** The procedures of the line, each with its yield, worst batch and worst measurement. */
export function lineQuery({ procedure, days }: LineSearch & { procedure?: string | undefined }) {
  const query = { procedure_ids: procedure, ...readDays(days) }
  return queryOptions({
    queryKey: queryKeys.line('procedures', query),
    queryFn: ({ signal }) => service.listLineProcedures({ query: { ...query, limit: 50 } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

/** Whether any procedure is one of a line; false without a session, because some pages need none. */
export const hasLineQuery = queryOptions({
  queryKey: queryKeys.line('exists', {}),
  queryFn: async ({ signal }) => {
    try {
      const { data } = await service.listLineProcedures({ query: { days: 1, limit: 1 } }, { signal })
      return data.length > 0
    } catch (error) {
      if (isSignInNeeded(error)) return false
      throw error
    }
  },
  staleTime: Infinity,
})

export function yieldsQuery(procedure: string, { by = DEFAULT_GROUP, days }: LineProcedureSearch) {
  const query = { procedure_id: procedure, by, ...readDays(days) }
  return queryOptions({
    queryKey: queryKeys.line('yields', query),
    queryFn: ({ signal }) => service.listYields({ query }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export function lineFailuresQuery(procedure: string, { days }: LineSearch) {
  const query = { procedure_id: procedure, ...readDays(days) }
  return queryOptions({
    queryKey: queryKeys.line('failures', query),
    queryFn: ({ signal }) => service.listLineFailures({ query }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export type NamedMeasurement = MeasurementSearch & { phase: string }

export function measurementQuery(procedure: string, search: NamedMeasurement) {
  const { phase, measurement, days, rules, until, batch, station, version } = search
  const query = {
    procedure_id: procedure,
    ...readDays(days),
    phase,
    measurement,
    rules,
    limits_until: until === undefined ? undefined : `${until}T23:59:59.999Z`,
    batch_numbers: batch,
    stations: station,
    versions: version,
  }
  return queryOptions({
    queryKey: queryKeys.line('measurement', query),
    queryFn: ({ signal }) => service.getLineMeasurement({ query }, { signal }),
    placeholderData: keepPreviousData,
  })
}

export function gaugeStudyQuery(procedure: string, { phase, measurement, days }: NamedMeasurement) {
  const query = { procedure_id: procedure, ...readDays(days), phase, measurement }
  return queryOptions({
    queryKey: queryKeys.line('gauge', query),
    queryFn: ({ signal }) => service.getGaugeStudy({ query }, { signal }),
    placeholderData: keepPreviousData,
  })
}

function readDays(days: LineSearch['days'] = DEFAULT_DAYS): { days: number } {
  return { days: Number(days) }
}
