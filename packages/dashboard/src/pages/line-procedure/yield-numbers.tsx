import type { Rate, YieldList } from '@runledger/protocol'
import type { DefinitionName } from '../../definitions'
import { formatYield, formatYieldInterval } from '../../format/line'
import { Defined } from '../../parts/definitions'
import { Statistic, Statistics } from '../../parts/statistics'

type Yields = YieldList['total']

const SHOWN: [key: keyof Yields, name: string, as: DefinitionName][] = [
  ['first_pass', 'First pass, first run ever', 'firstPassEver'],
  ['first_pass_of_day', 'First pass, first run of the day', 'firstPassOfDay'],
  ['second_pass', 'Second pass', 'laterPasses'],
  ['last_pass', 'Last pass', 'laterPasses'],
]

export function YieldNumbers({ yields: { total, samples, days } }: { yields: YieldList }) {
  return (
    <section aria-label={`Yields of ${days} days`} className="flex flex-col gap-2">
      <Statistics>
        {SHOWN.map(([key, name, as]) => (
          <Statistic key={key} name={name} as={as} value={formatYield(total[key].rate)}>
            {formatYieldInterval(total[key])}
          </Statistic>
        ))}
      </Statistics>
      <Samples samples={samples} />
    </section>
  )
}

function Samples({ samples }: { samples: Yields }) {
  if (samples.runs.of === 0) return null
  const counted = (rate: Rate) => `${rate.count.toLocaleString('en')} of ${rate.of.toLocaleString('en')}`
  return (
    <p className="text-sm text-soft">
      <Defined as="samples">Samples</Defined> such as golden units, counted apart: {counted(samples.runs)}{' '}
      runs passed
      {samples.first_pass.of > 0 && `, ${counted(samples.first_pass)} first passes`}.
    </p>
  )
}
