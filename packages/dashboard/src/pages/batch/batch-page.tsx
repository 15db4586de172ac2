import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { batchQuery } from '../../api/units'
import { facetLink } from '../../links'
import { Definitions } from '../../parts/definitions'
import { NounPage, UnreadNoun } from '../../parts/noun-page'
import { UnitRows } from '../../parts/unit-rows'
import { YieldTable } from '../../parts/yield-table'
import { WhereUsed } from './where-used'

/** A batch: the yields of its units beside those of others, what holds them, and the units themselves. */
export function BatchPage() {
  const { number: asked } = useParams({ from: '/batches/$number' })
  const read = useQuery(batchQuery(asked))
  if (!read.data) return <UnreadNoun noun="batch" read={read} />
  const { number } = read.data
  return (
    <NounPage noun="batch" title={number} runs={facetLink('batch', number)}>
      <YieldTable
        title="Yields of its units"
        of={{ batch_number: number }}
        others="first pass of all other units"
      />
      <WhereUsed batch={number} />
      <UnitRows wanted={{ batch_numbers: number }} />
      <Definitions of={['passes', 'interval']} />
    </NounPage>
  )
}
