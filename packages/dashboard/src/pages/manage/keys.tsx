import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keysQuery } from '../../api/manage'
import { Unread } from '../../parts/unread'
import { Button } from '../../ui/button'
import { StaleNotice } from '../../ui/error-state'
import { LoadMore } from '../../ui/load-more'
import { PageTitle } from '../../ui/page-title'
import { KeyForm } from './key-form'
import { KeyRow } from './key-row'
import { ShownOnce } from './shown-once'

/** Every API key, masked, and a form for another one. */
export function Keys() {
  const [isAdding, setIsAdding] = useState(false)
  const [issued, setIssued] = useState<string>()
  return (
    <section aria-label="Keys" className="flex flex-col gap-4">
      <PageTitle text="Keys" />
      <p className="max-w-prose text-sm text-soft">
        A person’s key acts as that person, with a role. A project’s key only creates runs there: it is the
        one for CI. A station’s key belongs to a bench.
      </p>
      {issued !== undefined && (
        <ShownOnce label="The new key." secret={issued} onDone={() => setIssued(undefined)} />
      )}
      {isAdding ? (
        <KeyForm
          onDone={(created) => {
            setIsAdding(false)
            setIssued(created?.key)
          }}
        />
      ) : (
        <Button className="self-start" onClick={() => setIsAdding(true)}>
          Issue a key
        </Button>
      )}
      <KeyList onIssued={setIssued} />
    </section>
  )
}

function KeyList({ onIssued }: { onIssued: (key: string) => void }) {
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
  return (
    <>
      {read.error && <StaleNotice error={read.error} />}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {read.data.pages
          .flatMap(({ data }) => data)
          .map((key) => (
            <KeyRow key={key.id} apiKey={key} onIssued={onIssued} />
          ))}
      </ul>
      <LoadMore read={read} word="Show older keys" />
    </>
  )
}
