import type { UnitListItem } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { partLink } from '../unit-links'

/** The revision of a unit's part, which leads to the page of the part with this revision. */
export function RevisionLink({ part }: { part: UnitListItem['part'] }) {
  return (
    <Link {...partLink(part.number, part.revision.number)} className="relative z-[1] underline wrap-anywhere">
      {part.revision.number}
    </Link>
  )
}
