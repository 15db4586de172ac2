import { type GetRolledYieldsQuery, MAX_LINE_DAYS } from '@runledger/protocol'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { nextCursor } from './history'
import { queryKeys } from './query-keys'
import { service } from './service'

// Download addresses expire after an hour: this keeps those of an open page fresh.
const ADDRESS_LIFE_MS = 20 * 60_000

export function unitQuery(serialNumber: string) {
  return queryOptions({
    queryKey: queryKeys.unit(serialNumber),
    queryFn: ({ signal }) => service.getLineUnit({ query: { serial_number: serialNumber } }, { signal }),
    refetchInterval: ADDRESS_LIFE_MS,
  })
}

export type UnitsWanted =
  { part_numbers: string; revision_numbers?: string | undefined } | { batch_numbers: string }

export function unitListQuery(wanted: UnitsWanted) {
  return infiniteQueryOptions({
    queryKey: queryKeys.units(wanted),
    queryFn: ({ pageParam, signal }) =>
      service.listUnits({ query: { ...wanted, cursor: pageParam, limit: 50 } }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: nextCursor,
  })
}

export type YieldsWanted = Partial<Omit<GetRolledYieldsQuery, 'days'>>

export function rolledYieldsQuery(of: YieldsWanted) {
  return queryOptions({
    queryKey: queryKeys.rolledYields(of),
    queryFn: ({ signal }) => service.getRolledYields({ query: { ...of, days: MAX_LINE_DAYS } }, { signal }),
  })
}

export function partQuery(number: string) {
  return queryOptions({
    queryKey: queryKeys.part(number),
    queryFn: ({ signal }) => service.getPart({ params: { number } }, { signal }),
  })
}

export function batchQuery(number: string) {
  return queryOptions({
    queryKey: queryKeys.batch(number),
    queryFn: ({ signal }) => service.getBatch({ params: { number } }, { signal }),
  })
}

export function whereUsedQuery(number: string) {
  return queryOptions({
    queryKey: queryKeys.whereUsed(number),
    queryFn: ({ signal }) => service.listWhereUsed({ query: { batch_number: number } }, { signal }),
  })
}

export function stationQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.station(id),
    queryFn: ({ signal }) => service.getStation({ params: { id } }, { signal }),
  })
}
