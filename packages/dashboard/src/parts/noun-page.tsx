import { Link, type LinkOptions } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runListLink } from '../links'
import { useListKeys } from '../navigation/keys'
import { EMPTY_FILTER } from '../run-filter'
import { BackLink } from '../ui/back-link'
import { NoSuch } from '../ui/no-such'
import { PageTitle } from '../ui/page-title'
import { Unread } from './unread'

interface NounPageProps {
  /** `batch`. */
  noun: string
  title: string
  name?: ReactNode
  /** The runs that have it. */
  runs: LinkOptions
  children: ReactNode
}

/** The page of a part, a batch or a station. */
export function NounPage({ noun, title, name, runs, children }: NounPageProps) {
  useListKeys()
  return (
    <div className="flex flex-col gap-4">
      <PageTitle text={title} />
      <header className="flex flex-col gap-2">
        <BackLink link={runs}>{`Runs of this ${noun}`}</BackLink>
        <h1 className="text-2xl font-semibold wrap-anywhere">
          {`${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${title}`}
          {name}
        </h1>
      </header>
      {children}
    </div>
  )
}

interface UnreadNounProps {
  noun: string
  read: { isPending: boolean; error: Error | null; refetch: () => Promise<unknown> }
}

/** Stands for the page of a part, a batch or a station until it is read. */
export function UnreadNoun({ noun, read }: UnreadNounProps) {
  return (
    <Unread
      isPage
      read={read}
      label={`Reading the ${noun}`}
      title={`The ${noun} could not be read`}
      rows={10}
      rowClass="h-12"
      unknown={
        <NoSuch what={noun}>
          <p className="max-w-prose text-soft">The link may be cut short, or the {noun} was deleted.</p>
          <Link {...runListLink(EMPTY_FILTER)}>See all runs</Link>
        </NoSuch>
      }
    />
  )
}
