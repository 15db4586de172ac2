import type { GaugeStudyAnswer } from '@runledger/protocol'
import { formatCount } from '@runledger/presentation'
import { useQuery } from '@tanstack/react-query'
import { gaugeStudyQuery } from '../../api/line'
import { formatAmount } from '../../format/line'
import { formatPercent } from '../../format/rate'
import { Defined } from '../../parts/definitions'
import { FacetLink } from '../../parts/noun-links'
import { Card } from '../../ui/card'
import { Joined } from '../../ui/joined'
import { formatP } from './judge'
import type { MeasurementViewProps } from './view-props'

type Study = NonNullable<GaugeStudyAnswer['study']>

interface GaugeStudyProps {
  search: MeasurementViewProps['search']
  procedure: string
}

/** The gauge's share of the variation. Renders nothing unless golden units were measured repeatedly. */
export function GaugeStudy({ search, procedure }: GaugeStudyProps) {
  const { data } = useQuery(gaugeStudyQuery(procedure, search))
  if (!data?.study) return null
  const { study, unit, values, has_more: hasMore } = data
  return (
    <Card title="Gauge study">
      <div className="flex flex-col gap-3 px-4 py-3">
        <p>{describeStations(study, unit)}</p>
        <Components study={study} unit={unit} />
        <p className="text-sm text-soft">
          {study.units.length === 1 ? 'The unit' : 'The units'}{' '}
          <Joined
            parts={study.units.map((serial) => (
              <FacetLink key={serial} facet="unit" value={serial} />
            ))}
          />{' '}
          {study.units.length === 1 ? 'was' : 'were each'} measured {formatCount(study.readings, 'time')} at
          each of {formatCount(study.stations.length, 'station')}. {study.left_out.toLocaleString('en')} of{' '}
          {hasMore && 'the last '}
          {formatCount(values, 'value')} in {search.days} days are left out, to make the numbers equal.{' '}
          <Defined as="gauge">Stations differ</Defined>
          {study.p_values.stations === null ? ': not known.' : `: p ${formatP(study.p_values.stations)}.`}
        </p>
      </div>
    </Card>
  )
}

/** Names the station that measures differently, and its difference from the mean of the others. */
function describeStations({ stations, p_values: p }: Study, unit: string | null): string {
  const [odd] = stations
    .map(({ station, mean }) => {
      const others = stations.filter((one) => one.station !== station)
      const sum = others.reduce((total, one) => total + one.mean, 0)
      return { station, difference: mean - sum / others.length }
    })
    .toSorted((one, other) => Math.abs(other.difference) - Math.abs(one.difference))
  if (!odd || stations.length < 2) return 'One station alone has measured the units.'
  if (odd.difference === 0) return 'All stations measure the same mean.'
  const amount = formatAmount(Number(Math.abs(odd.difference).toPrecision(3)), unit)
  const direction = odd.difference < 0 ? 'lower' : 'higher'
  const text = `${odd.station} measures the same unit ${amount} ${direction} than the mean of the other stations`
  if (p.stations === null) return `${text}.`
  return p.stations < 0.05
    ? `${text}. Chance alone does not explain this.`
    : `Chance alone can explain how the stations differ. The largest difference: ${text}.`
}

type Component = [name: string, part: Study['unit_variation']]

function Components({ study, unit }: { study: Study; unit: string | null }) {
  const rows: Component[] = [
    ['Repeatability: same unit, same station', study.repeatability],
    ['Station to station', study.reproducibility],
    ['The gauge: both together', study.gauge],
    ['Unit to unit', study.unit_variation],
    ...(study.unit_variation ? [['In all', study.total] satisfies Component] : []),
  ]
  return (
    <div className="flex flex-wrap items-start gap-x-10 gap-y-3">
      <Table
        heads={[
          'Part of the variation',
          'σ',
          study.unit_variation ? 'Share of variance' : 'Share of the gauge’s variance',
        ]}
      >
        {rows.map(([name, part]) => (
          <Row
            key={name}
            cells={
              part === null
                ? [name, 'not known from one unit', '']
                : [name, formatAmount(part.sigma, unit), formatPercent(part.share)]
            }
          />
        ))}
        {study.tolerance_share !== null && (
          <Row
            cells={[
              'Share of the tolerance used by the gauge (6 σ)',
              '',
              formatPercent(study.tolerance_share),
            ]}
          />
        )}
      </Table>
      <Table heads={['Station', 'Mean', 'Values']}>
        {study.stations.map(({ station, mean }) => (
          <Row
            key={station}
            cells={[station, formatAmount(mean, unit), String(study.readings * study.units.length)]}
          />
        ))}
      </Table>
    </div>
  )
}

function Table({ heads, children }: { heads: string[]; children: React.ReactNode }) {
  return (
    <table className="numeric text-left text-sm">
      <thead className="text-soft">
        <tr>
          {heads.map((word) => (
            <th key={word} scope="col" className="py-0.5 pr-6 font-normal">
              {word}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

function Row({ cells: [first, ...others] }: { cells: string[] }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pr-6 font-normal">
        {first}
      </th>
      {others.map((text, index) => (
        <td key={index} className="py-1 pr-6">
          {text}
        </td>
      ))}
    </tr>
  )
}
