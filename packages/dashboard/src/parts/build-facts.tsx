import type { BuildListItem } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatGroup, nameGroup } from '../format/group'
import { nameBuild } from '../format/name-build'
import { buildListLink } from '../history-links'
import { Joined } from '../ui/joined'
import { shortenHash } from './build-name'

/** Where a build comes from, in one line; each part leads to the builds that share it. */
export function BuildFacts({ build }: { build: BuildListItem }) {
  const { branch, commit, author, pull_request: pull, event, procedures, group } = build
  const parts: ReactNode[] = []
  if (branch !== null) parts.push(<Fact link={buildListLink({ branch })}>{branch}</Fact>)
  if (commit !== null) {
    const text = <span className="font-mono">{shortenHash(commit)}</span>
    parts.push(<Fact link={buildListLink({ commit })}>{text}</Fact>)
  }
  if (author !== null) parts.push(<Fact link={buildListLink({ author })}>{author}</Fact>)
  if (pull !== null) parts.push(`#${pull.replace(/^#/, '')}`)
  if (event !== null) parts.push(event)
  for (const { id, name } of procedures)
    parts.push(<Fact link={buildListLink({ procedure: id })}>{name}</Fact>)
  if (!nameBuild(build).includes(formatGroup(group))) parts.push(nameGroup(group))
  return (
    <span className="block text-sm wrap-anywhere text-soft">
      <Joined parts={parts} by=" · " />
    </span>
  )
}

/** A link above that of the whole row. */
function Fact({ link, children }: { link: ReturnType<typeof buildListLink>; children: ReactNode }) {
  return (
    <Link {...link} className="relative z-[1] text-soft underline hover:text-ink">
      {children}
    </Link>
  )
}
