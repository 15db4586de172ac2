import type { Found, TestDetail } from '@runledger/protocol'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { searchQuery } from '../../api/history'
import { queryKeys } from '../../api/query-keys'
import { service } from '../../api/service'
import { describePlace } from '../../parts/test-name'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'

interface AliasChange {
  alias: string
  isAdded: boolean
}

/** Earlier names and files of the test. Each can be undone, and others added. */
export function Aliases({ test }: { test: TestDetail }) {
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: ({ alias, isAdded }: AliasChange) =>
      isAdded
        ? service.addTestAlias({ params: { id: test.id }, body: { test_id: alias } })
        : service.removeTestAlias({ params: { id: test.id, test_id: alias } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.test(test.id) }),
  })
  return (
    <Card title="Earlier names">
      {test.aliases.length === 0 && (
        <p className="px-4 py-3 text-sm text-soft">
          None. Where a file moves or a title changes, a test keeps its history if that is unambiguous.
        </p>
      )}
      <ul className="divide-y divide-line">
        {test.aliases.map((alias) => (
          <li
            key={alias.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2"
          >
            <span className="min-w-0">
              <span className="font-medium wrap-anywhere">{alias.name}</span>
              <span className="block text-sm wrap-anywhere text-soft">{describePlace(alias)}</span>
            </span>
            <Button
              disabled={change.isPending}
              onClick={() => change.mutate({ alias: alias.id, isAdded: false })}
            >
              <Undo2 aria-hidden className="size-4" />
              Undo<span className="sr-only">: {alias.name} is another test</span>
            </Button>
          </li>
        ))}
      </ul>
      {change.error && (
        <p role="alert" className="border-t border-line px-4 py-2 text-sm text-bad">
          Not changed: {change.error.message}
        </p>
      )}
      <AddAlias
        known={[test.id, ...test.aliases.map(({ id }) => id)]}
        onAdd={(alias) => change.mutate({ alias, isAdded: true })}
      />
    </Card>
  )
}

interface AddAliasProps {
  /** Tests that it cannot be. */
  known: string[]
  onAdd: (id: string) => void
}

/** Finds another test, to say that it is an earlier name of this one. */
function AddAlias({ known, onAdd }: AddAliasProps) {
  const [text, setText] = useState('')
  const id = useId()
  const { data } = useQuery(searchQuery(useDeferredValue(text)))
  const found = text.trim().length < 2 ? [] : (data?.data ?? []).filter((one) => isOther(one, known))
  return (
    <details className="border-t border-line px-4 py-2 text-sm">
      <summary className="text-soft hover:text-ink">It had another name</summary>
      <label htmlFor={id} className="mt-2 block text-soft">
        Name or file of the other test
      </label>
      <input
        id={id}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="mt-1 min-h-9 w-full max-w-lg rounded-md border border-soft bg-surface px-2"
      />
      <ul className="mt-2 flex flex-col gap-1">
        {found.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center gap-x-3">
            <Button onClick={() => onAdd(one.id)}>This one</Button>
            <span className="min-w-0 wrap-anywhere">
              {one.title} <span className="text-soft">{one.detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function isOther({ kind, id }: Found, known: string[]): boolean {
  return kind === 'test' && !known.includes(id)
}
