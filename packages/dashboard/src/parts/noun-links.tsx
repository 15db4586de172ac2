import { Link } from '@tanstack/react-router'
import { Tag, UserRound } from 'lucide-react'
import { testListLink } from '../history-links'
import { lineProcedureLink } from '../line-links'
import type { RunFacet } from '../run-filter'
import { nounLink } from '../unit-links'

/** The look of a word beside a name. */
export const CHIP =
  'inline-flex items-center gap-1 rounded border border-line bg-sunken px-1.5 text-[0.8125rem] leading-5 text-soft no-underline wrap-anywhere'

export function OwnerLink({ owner }: { owner: string }) {
  return (
    <Link
      {...testListLink({ owner, procedure: undefined, branch: undefined })}
      title={`Tests of ${owner}`}
      className={`relative z-[1] ${CHIP}`}
    >
      <UserRound aria-label="Owner" className="size-3.5" />
      {owner}
    </Link>
  )
}

/** A tag of a test, which leads to all tests that have it. */
export function TagLink({ tag }: { tag: string }) {
  return (
    <Link
      {...testListLink({ tag, procedure: undefined, branch: undefined })}
      title={`Tests tagged ${tag}`}
      className={`relative z-[1] ${CHIP}`}
    >
      <Tag aria-label="Tag" className="size-3.5" />
      {tag}
    </Link>
  )
}

/** A unit, batch, station or the like, which leads to its page, or to the runs that have it. */
export function FacetLink({ facet, value, text = value }: { facet: RunFacet; value: string; text?: string }) {
  return (
    <Link {...nounLink(facet, value)} className="relative z-[1] underline wrap-anywhere">
      {text}
    </Link>
  )
}

/** A procedure of the production line, which leads to its yields. */
export function ProcedureLink({ id, name }: { id: string; name: string }) {
  return (
    <Link {...lineProcedureLink(id)} className="relative z-[1] underline wrap-anywhere">
      {name}
    </Link>
  )
}
