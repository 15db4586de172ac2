import { type LineUnit, MAX_TREE_UNITS, type TreeUnit } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { FacetLink } from '../../parts/noun-links'
import { RevisionLink } from '../../parts/revision-link'
import { VerdictBadge } from '../../parts/unit-verdict'
import { unitLink } from '../../unit-links'
import { Card } from '../../ui/card'

/** A row of the tree, with how far it is indented. */
interface TreeRow {
  unit: TreeUnit
  level: number
}

/** The units that hold this one, and those that it holds. Nothing for a unit that stands alone. */
export function UnitTree({ history }: { history: LineUnit }) {
  const { unit, holders, sub_units: subUnits, more_sub_units: hasMore } = history
  if (holders.length === 0 && subUnits.length === 0) return null
  const above = holders.toReversed().map((holder, level): TreeRow => ({ unit: holder, level }))
  const below = orderTree(unit.serial_number, subUnits).map((held): TreeRow => ({
    unit: held,
    level: above.length + held.depth,
  }))
  return (
    <Card title="Built from and into">
      <ul className="divide-y divide-line">
        {above.map((row) => (
          <Row key={row.unit.id} {...row} />
        ))}
        <li className="px-4 py-1.5 font-medium" style={{ paddingLeft: indent(above.length) }}>
          {unit.serial_number} <span className="text-sm font-normal text-soft">this unit</span>
        </li>
        {below.map((row) => (
          <Row key={row.unit.id} {...row} />
        ))}
      </ul>
      {hasMore && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">
          It holds more units than these {MAX_TREE_UNITS}: open one of them to see what it holds.
        </p>
      )}
    </Card>
  )
}

/** Deep levels stay within a narrow window. */
const MOST_INDENTED = 6
const indent = (level: number) => `${1 + 1.25 * Math.min(level, MOST_INDENTED)}rem`

function Row({ unit, level }: TreeRow) {
  return (
    <li
      className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-1.5"
      style={{ paddingLeft: indent(level) }}
    >
      <Link {...unitLink(unit.serial_number)} className="font-medium wrap-anywhere">
        {unit.serial_number}
      </Link>
      <span className="text-sm text-soft">
        <FacetLink facet="part" value={unit.part.number} />, revision <RevisionLink part={unit.part} />
        {unit.batch && (
          <>
            {', batch '}
            <FacetLink facet="batch" value={unit.batch.number} />
          </>
        )}
      </span>
      <span className="ml-auto flex flex-wrap gap-x-3 gap-y-1 text-sm">
        {unit.verdicts.map((verdict) => (
          <span key={verdict.procedure.id} className="flex items-center gap-1.5">
            <span className="text-soft">{verdict.procedure.name}</span>
            <VerdictBadge verdict={verdict} />
          </span>
        ))}
      </span>
    </li>
  )
}

/** Each unit directly below the one that holds it. */
function orderTree(serialNumber: string, units: readonly TreeUnit[]): TreeUnit[] {
  return units
    .filter(({ parent }) => parent === serialNumber)
    .flatMap((unit) => [unit, ...orderTree(unit.serial_number, units)])
}
