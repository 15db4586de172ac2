import { useInfiniteQuery } from '@tanstack/react-query'
import { keysQuery } from '../../api/manage'
import { Unread } from '../../parts/unread'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { KeyForm } from './key-form'
import { KeyRow } from './key-row'

/** Every API key, masked, and a form for another one. */
export function Keys() {
  return (
    <section aria-label="Keys" className="flex flex-col gap-4">
      <PageTitle text="Keys" />
      <p className="max-w-prose text-sm text-soft">
        A person’s key acts as that person, with a role. A project’s key only creates runs there: it is the
        one for CI. A station’s key belongs to a bench.
      </p>
      <AddButton word="Create a key">
        {(opener, close) => <KeyForm opener={opener} onClose={close} />}
      </AddButton>
      <KeyList />
    </section>
  )
}

function KeyList() {
  const read = useInfiniteQuery(keysQuery)
  if (!read.data) {
    return (
      <Unread
        read={read}
        label="Reading the keys"
        title="The keys could not be read"
        rows={4}
        rowClass="h-20"
      />
    )
  }
  const keys = read.data.pages.flatMap(({ data }) => data)
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} />
        ))}
      </ul>
      <LoadMore read={read} word="Show older keys" />
    </>
  )
}
