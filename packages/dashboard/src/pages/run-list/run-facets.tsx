import { FilterChips } from '../../parts/filter-chips'
import { RUN_FACETS, RUN_FACET_NAMES, type RunFilter } from '../../run-filter'

interface RunFacetsProps {
  filter: RunFilter
  onChange: (filter: RunFilter) => void
}

// The pickers of the page show these two.
const IN_PICKERS = new Set(['procedure', 'branch'])

/** What the list is narrowed to: a unit, a batch, a station. */
export function RunFacets({ filter, onChange }: RunFacetsProps) {
  const chips = RUN_FACET_NAMES.flatMap((name) => {
    const value = filter[name]
    if (value === undefined || IN_PICKERS.has(name)) return []
    return [{ label: RUN_FACETS[name], value, onRemove: () => onChange({ ...filter, [name]: undefined }) }]
  })
  return <FilterChips chips={chips} />
}
