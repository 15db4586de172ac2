import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { batchQuery, rolledYieldsQuery, whereUsedQuery } from '../../api/units'
import { facetLink } from '../../links'
import { Definitions } from '../../parts/definitions'
import { NounPage, UnreadNoun } from '../../parts/noun-page'
import { UnitRows } from '../../parts/unit-rows'
import { YieldTable } from '../../parts/yield-table'
import { WhereUsed } from './where-used'

export function BatchPage() {
  const { number: asked } = useParams({ from: '/batches/$number' })
  const read = useQuery(batchQuery(asked))
  // Before the page shows, so that nothing moves when they come.
  const yields = useQuery(rolledYieldsQuery({ batch_number: asked }))
  const used = useQuery(whereUsedQuery(asked))
  if (!read.data || yields.isPending || used.isPending) return <UnreadNoun noun="batch" read={read} />
  return (
    <NounPage noun="batch" title={read.data.number} runs={facetLink('batch', asked)}>
      <YieldTable
        title="Yields of its units"
        of={{ batch_number: asked }}
        others="first pass of all other units"
      />
      <WhereUsed batch={asked} />
      <UnitRows wanted={{ batch_numbers: asked }} />
      <Definitions of={['passes', 'interval']} />
    </NounPage>
  )
}
