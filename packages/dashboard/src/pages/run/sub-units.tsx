import type { RunDetail } from '@runledger/protocol'
import { FacetLink } from '../../parts/noun-links'
import { Card } from '../../ui/card'

export function SubUnits({ subUnits }: { subUnits: RunDetail['sub_units'] }) {
  return (
    <Card title="Sub-units">
      <ul className="divide-y divide-line">
        {subUnits.map(({ id, serial_number: serialNumber, part_number: partNumber, part_name: partName }) => (
          <li key={id} className="flex flex-wrap gap-x-4 px-4 py-2">
            <span className="font-medium">
              <FacetLink facet="unit" value={serialNumber} />
            </span>
            <span className="break-words text-soft">
              <FacetLink facet="part" value={partNumber} />
              {partName && partName !== partNumber && `, ${partName}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
