import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ApiError } from '../../api/api-error'
import { type AtStation, readStation } from '../../api/bench'
import { Button } from '../../ui/button'
import { PageTitle } from '../../ui/page-title'

/** Asks for the key of the station that stands here. It stays in memory until the page is loaded again. */
export function StationKeyForm({ onKnown }: { onKnown: (at: AtStation) => void }) {
  const [key, setKey] = useState('')
  const id = useId()
  const read = useMutation({
    mutationFn: () => readStation(key),
    onSuccess: (station) => onKnown({ station, key }),
  })
  return (
    <form
      className="mx-auto mt-6 flex max-w-md flex-col gap-3 rounded-lg border border-line bg-surface p-6"
      onSubmit={(event) => {
        event.preventDefault()
        read.mutate()
      }}
    >
      <PageTitle text="Station" />
      <h1 className="text-xl font-semibold">Station</h1>
      {read.error && (
        <p role="alert" className="rounded-md bg-warn-tint px-3 py-2 text-sm text-warn">
          {explain(read.error)}
        </p>
      )}
      <label htmlFor={id} className="font-medium">
        The station’s key
      </label>
      <input
        id={id}
        type="password"
        required
        autoComplete="current-password"
        spellCheck={false}
        value={key}
        onChange={({ target }) => setKey(target.value)}
        className="min-h-10 w-full rounded-md border border-soft bg-surface px-3 font-mono text-base"
      />
      <p className="text-sm text-soft">
        POST /v2/keys issues one for a station. The page keeps it until it is loaded again.
      </p>
      <Button type="submit" look="primary" disabled={read.isPending}>
        {read.isPending ? 'Opening…' : 'Open the station'}
      </Button>
    </form>
  )
}

function explain(error: Error): string {
  if (!(error instanceof ApiError)) return error.message
  if (error.statusCode === 401) return 'The service does not know this key, or it is no longer valid.'
  return error.statusCode === 403 ? 'This is the key of a user. Take the key of the station.' : error.message
}
