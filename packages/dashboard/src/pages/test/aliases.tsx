import type { Found, TestDetail } from '@runledger/protocol'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { searchQuery } from '../../api/history'
import { queryKeys } from '../../api/query-keys'
import { service } from '../../api/service'
import { KeyField, withKey } from '../../parts/key-field'
import { describePlace } from '../../parts/test-name'
import { Button } from '../../ui/button'
import { Card } from '../../ui/card'

interface AliasChange {
  alias: string
  isAdded: boolean
}

/** Earlier names and files of the test. Each can be taken back, and another one said. */
export function Aliases({ test }: { test: TestDetail }) {
  const [wanted, setWanted] = useState<AliasChange>()
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
            <Button onClick={() => setWanted({ alias: alias.id, isAdded: false })}>
              <Undo2 aria-hidden className="size-4" />
              Undo<span className="sr-only">: {alias.name} is another test</span>
            </Button>
          </li>
        ))}
      </ul>
      {wanted && <ChangeForm test={test} change={wanted} onDone={() => setWanted(undefined)} />}
      <AddAlias
        known={[test.id, ...test.aliases.map(({ id }) => id)]}
        onAdd={(alias) => setWanted({ alias, isAdded: true })}
      />
    </Card>
  )
}

interface ChangeFormProps {
  test: TestDetail
  change: AliasChange
  onDone: () => void
}

/** Asks for a key: the session of the pages may only read. */
function ChangeForm({ test, change: { alias, isAdded }, onDone }: ChangeFormProps) {
  const queryClient = useQueryClient()
  const [key, setKey] = useState('')
  const change = useMutation({
    mutationFn: () => {
      const options = withKey(key)
      return isAdded
        ? service.addTestAlias({ params: { id: test.id }, body: { test_id: alias } }, options)
        : service.removeTestAlias({ params: { id: test.id, test_id: alias } }, options)
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: queryKeys.test(test.id) })
      onDone()
    },
  })
  return (
    <form
      className="flex flex-wrap items-end gap-2 border-t border-line bg-sunken px-4 py-3 text-sm"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate()
      }}
    >
      <KeyField value={key} onChange={setKey} />
      <Button type="submit" look="primary" disabled={change.isPending}>
        {isAdded ? 'It is an earlier name' : 'It is another test'}
      </Button>
      <Button look="bare" onClick={onDone}>
        Cancel
      </Button>
      {change.error && (
        <p role="alert" className="w-full text-bad">
          Not changed: {change.error.message}
        </p>
      )}
    </form>
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
