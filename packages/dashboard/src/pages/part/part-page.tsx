import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { partQuery, rolledYieldsQuery } from '../../api/units'
import { facetLink } from '../../links'
import { Definitions } from '../../parts/definitions'
import { NounPage, UnreadNoun } from '../../parts/noun-page'
import { UnitRows } from '../../parts/unit-rows'
import { YieldTable } from '../../parts/yield-table'
import { partLink } from '../../unit-links'
import { tabClass, Tabs } from '../../ui/tabs'

/** A part with its revisions: the yields of its procedures, and its units. */
export function PartPage() {
  const { number: asked } = useParams({ from: '/parts/$number' })
  const { revision } = useSearch({ from: '/parts/$number' })
  const read = useQuery(partQuery(asked))
  // Before the page shows, so that nothing moves when they come.
  const of = { part_number: asked, revision_number: revision }
  const yields = useQuery(rolledYieldsQuery(of))
  if (!read.data || yields.isPending) return <UnreadNoun noun="part" read={read} />
  const { number, name, revisions } = read.data
  return (
    <NounPage
      noun="part"
      title={number}
      name={name !== number && <span className="font-normal text-soft"> {name}</span>}
      runs={facetLink('part', number)}
    >
      <Tabs label="Revisions">
        <Link {...partLink(number)} className={tabClass(revision === undefined)}>
          All revisions
        </Link>
        {revisions.map(({ id, number: one }) => (
          <Link
            key={id}
            {...partLink(number, one)}
            className={tabClass(one.toLowerCase() === revision?.toLowerCase())}
          >
            {one}
          </Link>
        ))}
      </Tabs>
      <YieldTable title="Yields" of={of} isRolled />
      <UnitRows wanted={{ part_numbers: number, revision_numbers: revision }} />
      <Definitions of={['passes', 'rolledYield', 'interval']} />
    </NounPage>
  )
}
