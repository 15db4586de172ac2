import type { BuildListItem } from '@runledger/protocol'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { formatGroup, nameGroup } from '../format/group'
import { nameBuild } from '../format/name-build'
import { buildListLink } from '../history-links'
import { shortenHash } from './build-name'

/** Where a build comes from, in one line; each part leads to the builds that share it. */
export function BuildFacts({ build }: { build: BuildListItem }) {
  const { branch, commit, author, pull_request: pull, event, procedures, group } = build
  const parts: [name: string, part: ReactNode][] = []
  if (branch !== null) parts.push(['branch', <Fact link={buildListLink({ branch })}>{branch}</Fact>])
  if (commit !== null) {
    const text = <span className="font-mono">{shortenHash(commit)}</span>
    parts.push(['commit', <Fact link={buildListLink({ commit })}>{text}</Fact>])
  }
  if (author !== null) parts.push(['author', <Fact link={buildListLink({ author })}>{author}</Fact>])
  if (pull !== null) parts.push(['pull', `#${pull.replace(/^#/, '')}`])
  if (event !== null) parts.push(['event', event])
  for (const { id, name } of procedures)
    parts.push([id, <Fact link={buildListLink({ procedure: id })}>{name}</Fact>])
  if (!nameBuild(build).includes(formatGroup(group))) parts.push(['group', nameGroup(group)])
  return (
    <span className="block text-sm wrap-anywhere text-soft">
      {parts.map(([name, part], index) => (
        <Fragment key={name}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
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
