import { useInfiniteQuery } from '@tanstack/react-query'
import { keysQuery } from '../../api/manage'
import { PageTitle } from '../../ui/page-title'
import { AddButton } from './add-button'
import { KeyForm } from './key-form'
import { KeyRow } from './key-row'
import { ManagedList } from './managed-list'

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
  return (
    <ManagedList
      read={read}
      items={read.data?.pages.flatMap(({ data }) => data)}
      what="keys"
      rows={4}
      rowClass="h-20"
    >
      {(key) => <KeyRow key={key.id} apiKey={key} />}
    </ManagedList>
  )
}
