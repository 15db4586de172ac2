import type { OperationInput, OperationName } from '@runledger/protocol'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { isSignInNeeded } from './api-error'
import { queryKeys } from './query-keys'
import { service } from './service'

const REFRESH_MS = 60_000

type QueryOf<Name extends OperationName> =
  OperationInput<Name> extends { query: infer Query } ? NonNullable<Query> : never

/** The procedures of the line, each with its yield, worst batch and worst measurement. */
export function lineQuery(query: { procedure_ids?: string | undefined; days: number }) {
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

export function yieldsQuery(query: QueryOf<'listYields'>) {
  return queryOptions({
    queryKey: queryKeys.line('yields', query),
    queryFn: ({ signal }) => service.listYields({ query }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export function lineFailuresQuery(query: QueryOf<'listLineFailures'>) {
  return queryOptions({
    queryKey: queryKeys.line('failures', query),
    queryFn: ({ signal }) => service.listLineFailures({ query }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
}

export function measurementQuery(query: QueryOf<'getLineMeasurement'>) {
  return queryOptions({
    queryKey: queryKeys.line('measurement', query),
    queryFn: ({ signal }) => service.getLineMeasurement({ query }, { signal }),
    placeholderData: keepPreviousData,
  })
}

export function gaugeStudyQuery(query: QueryOf<'getGaugeStudy'>) {
  return queryOptions({
    queryKey: queryKeys.line('gauge', query),
    queryFn: ({ signal }) => service.getGaugeStudy({ query }, { signal }),
    placeholderData: keepPreviousData,
  })
}
