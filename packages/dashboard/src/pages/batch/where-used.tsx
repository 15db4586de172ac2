import { formatCount } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { whereUsedQuery } from '../../api/units'
import { FacetLink } from '../../parts/noun-links'
import { Unread } from '../../parts/unread'
import { unitLink } from '../../unit-links'
import { Card } from '../../ui/card'
import { Joined } from '../../ui/joined'

export function WhereUsed({ batch }: { batch: string }) {
  const read = useQuery(whereUsedQuery(batch))
  if (!read.data)
    return (
      <Unread
        read={read}
        label="Reading where it is used"
        title="Where it is used could not be read"
        rows={2}
      />
    )
  const { data, has_more: hasMore } = read.data
  if (data.length === 0)
    return (
      <Card title="Where used">
        <p className="px-4 py-3 text-soft">No unit holds a unit of this batch.</p>
      </Card>
    )
  const count = `${hasMore ? 'more than ' : ''}${formatCount(data.length, 'unit')}`
  return (
    <Card title="Where used" aside={<span className="text-sm text-soft">{count}</span>}>
      <ul className="max-h-96 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label="Where used">
        {data.map(({ serial_number: serialNumber, part_number: part, batch: own, sub_units: held }) => (
          <li key={serialNumber} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-1.5">
            <Link {...unitLink(serialNumber)} className="font-medium wrap-anywhere">
              {serialNumber}
            </Link>
            <span className="text-sm text-soft">
              <FacetLink facet="part" value={part} />
              {own !== null && (
                <>
                  {', batch '}
                  <FacetLink facet="batch" value={own} />
                </>
              )}
              {', holds '}
              <Joined
                parts={held.map((one) => (
                  <FacetLink key={one} facet="unit" value={one} />
                ))}
              />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
