import { linkOptions } from '@tanstack/react-router'
import { facetLink } from './links'
import type { RunFacet } from './run-filter'

/** The history of one unit. */
export function unitLink(serial: string) {
  return linkOptions({ to: '/units/$serial', params: { serial }, search: {} })
}

/** A part, or one of its revisions. */
export function partLink(number: string, revision?: string) {
  return linkOptions({ to: '/parts/$number', params: { number }, search: { revision } })
}

export function batchLink(number: string) {
  return linkOptions({ to: '/batches/$number', params: { number }, search: {} })
}

/** A station, by its id. */
function stationLink(id: string) {
  return linkOptions({ to: '/stations/$id', params: { id }, search: {} })
}

/** The page for a tablet at a station; it shows the unit with this serial number. */
export function benchLink(unit?: string) {
  return linkOptions({ to: '/station', search: { unit } })
}

/** The page of a unit, part, batch or station; of anything else the runs that have it. */
export function nounLink(facet: RunFacet, value: string) {
  switch (facet) {
    case 'unit':
      return unitLink(value)
    case 'part':
      return partLink(value)
    case 'batch':
      return batchLink(value)
    case 'station':
      return stationLink(value)
    default:
      return facetLink(facet, value)
  }
}
